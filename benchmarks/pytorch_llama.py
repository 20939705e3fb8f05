#!/usr/bin/env python3
"""The yardstick: training steps of a llama in plain PyTorch, as one would write it by hand. Prints one line of JSON.

Eager or compiled, fp32 or bf16 autocast over fp32 weights, scaled_dot_product_attention, fused AdamW, clipping.
"""
import argparse
import json
import time

import torch
import torch.nn.functional as F
from torch import nn

SIZES = {  # dim, layers, heads, feed-forward, vocabulary
    "debugmodel": (256, 6, 16, 768, 2048),
    "134M": (768, 12, 12, 2048, 32000),
}


class RMSNorm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return F.rms_norm(x, self.weight.shape, self.weight, 1e-5)


def rotate(x, cos, sin):
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), -1).flatten(-2)


class Layer(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.heads = heads
        self.attention_norm, self.ffn_norm = RMSNorm(dim), RMSNorm(dim)
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(dim, dim, bias=False) for _ in range(4))
        self.w1, self.w3 = nn.Linear(dim, hidden, bias=False), nn.Linear(dim, hidden, bias=False)
        self.w2 = nn.Linear(hidden, dim, bias=False)

    def forward(self, x, cos, sin):
        batch, seq, dim = x.shape
        h = self.attention_norm(x)
        q, k, v = (w(h).view(batch, seq, self.heads, -1).transpose(1, 2) for w in (self.wq, self.wk, self.wv))
        q, k = rotate(q, cos, sin).to(v.dtype), rotate(k, cos, sin).to(v.dtype)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.wo(mixed.transpose(1, 2).reshape(batch, seq, dim))
        h = self.ffn_norm(x)
        return x + self.w2(F.silu(self.w1(h)) * self.w3(h))


class Llama(nn.Module):
    def __init__(self, dim, layers, heads, hidden, vocab, seq):
        super().__init__()
        self.embedding = nn.Embedding(vocab, dim)
        self.layers = nn.ModuleList(Layer(dim, heads, hidden) for _ in range(layers))
        self.norm = RMSNorm(dim)
        self.head = nn.Linear(dim, vocab, bias=False)
        width = dim // heads
        angles = torch.outer(torch.arange(seq), 500000.0 ** (-torch.arange(0, width, 2) / width))
        self.register_buffer("cos", angles.cos())
        self.register_buffer("sin", angles.sin())

    def forward(self, tokens):
        x = self.embedding(tokens)
        for layer in self.layers:
            x = layer(x, self.cos, self.sin)
        return self.head(self.norm(x))


def gpt2():
    from transformers import GPT2Config, GPT2LMHeadModel

    model = GPT2LMHeadModel(GPT2Config(resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0))
    return model, lambda tokens: model(tokens).logits, 50257


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model", choices=[*SIZES, "gpt2-124M"])
    parser.add_argument("dtype", choices=["float32", "bfloat16"])
    parser.add_argument("batch", type=int)
    parser.add_argument("seq", type=int)
    parser.add_argument("steps", type=int)
    parser.add_argument("--compile", action="store_true")
    args = parser.parse_args()

    torch.manual_seed(0)
    if args.model == "gpt2-124M":
        model, forward, vocab = gpt2()
    else:
        dim, layers, heads, hidden, vocab = SIZES[args.model]
        model = forward = Llama(dim, layers, heads, hidden, vocab, args.seq)
    if args.compile:
        forward = torch.compile(forward)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, betas=(0.9, 0.95), weight_decay=0.1, fused=True)
    seconds = []
    for _ in range(args.steps + 1):  # the first one warms up
        tokens = torch.randint(0, vocab, (args.batch, args.seq + 1))
        start = time.monotonic()
        with torch.autocast("cpu", torch.bfloat16, enabled=args.dtype == "bfloat16"):
            logits = forward(tokens[:, :-1])
            loss = F.cross_entropy(logits.flatten(0, 1).float(), tokens[:, 1:].flatten())
        del logits
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        loss.item()
        seconds.append(time.monotonic() - start)
    print(json.dumps({"seconds": seconds[1:], "parameters": sum(p.numel() for p in model.parameters())}))


if __name__ == "__main__":
    main()
