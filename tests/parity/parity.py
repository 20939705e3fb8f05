#!/usr/bin/env python3
"""The models against PyTorch: same weights, same tokens, fp32.

  parity.py PARITY_RUNNER [CASE]

The references below are plain PyTorch, written from the papers' formulas; GPT-2's is transformers' own GPT2LMHeadModel.
Compared: logits (<= 1e-5 absolute), every gradient (<= 1e-5 of its largest element), the losses and gradient norms of ten
AdamW steps with clipping and schedule (<= 1e-5). fp32 has 6e-8; sums of some thousand terms in another order stay well
below 1e-5.
"""
import math
import os
import subprocess
import sys
import tempfile

import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file

torch.manual_seed(0)
torch.set_num_threads(2)
VOCAB, SEQ, BATCH, STEPS = 320, 48, 3, 10


def rotary(x, positions, theta=500000.0):
    # Llama 3.1's scaling as its paper gives it: long wavelengths by 8, short ones kept, blended between.
    half = x.shape[-1] // 2
    freq = 1.0 / theta ** (torch.arange(0, half).float() * 2 / x.shape[-1])
    wavelength = 2 * math.pi / freq
    smooth = (8192 / wavelength - 1) / (4 - 1)
    scaled = torch.where(wavelength > 8192, freq / 8, torch.where(wavelength < 8192 / 4, freq, (1 - smooth) * freq / 8 + smooth * freq))
    turn = torch.polar(torch.ones(positions.shape + (half,)), positions[..., None].float() * scaled)
    pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], half, 2))
    return torch.view_as_real(pairs * turn[:, :, None, :]).flatten(-2)


def rms_norm(x, weight):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * weight


def llama(w, tokens, starts, layers, heads, kv_heads, qk_norm):
    batch, seq = tokens.shape
    index = torch.arange(seq).expand(batch, seq)
    positions = index - starts
    mask = (index[:, None, :] <= index[:, :, None]) & (index[:, None, :] >= starts[:, :, None])
    x = w["tok_embeddings.weight"][tokens]
    dim = x.shape[-1] // heads
    for i in range(layers):
        p = f"layers.{i}."
        h = rms_norm(x, w[p + "attention_norm.weight"])
        q, k, v = (F.linear(h, w[p + f"attention.{n}.weight"]) for n in ("wq", "wk", "wv"))
        q, k, v = q.view(batch, seq, heads, dim), k.view(batch, seq, kv_heads, dim), v.view(batch, seq, kv_heads, dim)
        if qk_norm:
            q, k = rms_norm(q, w[p + "attention.q_norm.weight"]), rms_norm(k, w[p + "attention.k_norm.weight"])
        q, k = rotary(q, positions), rotary(k, positions)
        k, v = (t.repeat_interleave(heads // kv_heads, 2) for t in (k, v))
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / math.sqrt(dim)
        weights = scores.masked_fill(~mask[:, None], -math.inf).softmax(-1)
        mixed = torch.einsum("bhqk,bkhd->bqhd", weights, v).reshape(batch, seq, -1)
        x = x + F.linear(mixed, w[p + "attention.wo.weight"])
        h = rms_norm(x, w[p + "ffn_norm.weight"])
        gate, up = F.linear(h, w[p + "feed_forward.w1.weight"]), F.linear(h, w[p + "feed_forward.w3.weight"])
        x = x + F.linear(F.silu(gate) * up, w[p + "feed_forward.w2.weight"])
    head = w.get("output.weight", w["tok_embeddings.weight"])
    return F.linear(rms_norm(x, w["norm.weight"]), head)


def llama_weights(dim, layers, heads, kv_heads, hidden, tied, qk_norm):
    def matrix(*shape):
        return torch.randn(*shape) * 0.05

    w = {"tok_embeddings.weight": matrix(VOCAB, dim) * (1 if tied else 10), "norm.weight": 1 + matrix(dim)}
    if not tied:
        w["output.weight"] = matrix(VOCAB, dim)
    for i in range(layers):
        p, kv = f"layers.{i}.", kv_heads * dim // heads
        w |= {p + "attention.wq.weight": matrix(dim, dim), p + "attention.wk.weight": matrix(kv, dim)}
        w |= {p + "attention.wv.weight": matrix(kv, dim), p + "attention.wo.weight": matrix(dim, dim)}
        w |= {p + "feed_forward.w1.weight": matrix(hidden, dim), p + "feed_forward.w3.weight": matrix(hidden, dim)}
        w |= {p + "feed_forward.w2.weight": matrix(dim, hidden)}
        w |= {p + "attention_norm.weight": 1 + matrix(dim), p + "ffn_norm.weight": 1 + matrix(dim)}
        if qk_norm:
            w |= {p + f"attention.{n}.weight": 1 + matrix(dim // heads) for n in ("q_norm", "k_norm")}
    return w


def gpt2(w, tokens, layers, dim, heads):
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(vocab_size=VOCAB, n_positions=SEQ, n_embd=dim, n_layer=layers, n_head=heads, resid_pdrop=0.0, embd_pdrop=0.0,
                        attn_pdrop=0.0, attn_implementation="eager")
    model = GPT2LMHeadModel(config)
    # Ours are [out, in]; transformers keeps these four transposed.
    transposed = ("c_attn.weight", "c_proj.weight", "c_fc.weight")
    state = {"transformer." + n: (t.t() if n.endswith(transposed) else t) for n, t in w.items()}
    state["lm_head.weight"] = w["wte.weight"]
    return torch.func.functional_call(model, state, (tokens,)).logits


def gpt2_weights(dim, layers):
    def matrix(*shape):
        return torch.randn(*shape) * 0.05

    w = {"wte.weight": matrix(VOCAB, dim) * 4, "wpe.weight": matrix(SEQ, dim)}
    for i in range(layers):
        p = f"h.{i}."
        for name, out, width in (("attn.c_attn", 3 * dim, dim), ("attn.c_proj", dim, dim), ("mlp.c_fc", 4 * dim, dim),
                                 ("mlp.c_proj", dim, 4 * dim)):
            w |= {p + name + ".weight": matrix(out, width), p + name + ".bias": matrix(out)}
        for name in ("ln_1", "ln_2"):
            w |= {p + name + ".weight": 1 + matrix(dim), p + name + ".bias": matrix(dim)}
    return w | {"ln_f.weight": 1 + matrix(dim), "ln_f.bias": matrix(dim)}


# name: (family, flavor, kv_heads of the C++ size, tied, qk_norm, packed). The debug sizes, so that shapes are the program's own.
CASES = {
    "llama": dict(family="llama3", flavor="debugmodel_2l", tied=False, qk_norm=False, packed=False),
    "llama_gqa": dict(family="llama3", flavor="debugmodel_gqa", tied=False, qk_norm=False, packed=False),
    "llama_tied": dict(family="llama3", flavor="debugmodel_2l", tied=True, qk_norm=False, packed=False),
    "llama_packed": dict(family="llama3", flavor="debugmodel_gqa", tied=False, qk_norm=True, packed=True),
    "gpt2": dict(family="gpt2", flavor="debugmodel", tied=True, qk_norm=False, packed=False),
}


def factor(step, warmup=2, decay=8):
    return (step + 1) / warmup if step < warmup else 1 - (step - warmup) / decay if step >= 3 else 1.0


def reference(case, w, tokens, starts):
    if case["family"] == "gpt2":
        return gpt2(w, tokens, layers=4, dim=128, heads=4)
    kv_heads = 4 if case["flavor"].endswith("gqa") else 16
    return llama(w, tokens, starts, layers=2, heads=16, kv_heads=kv_heads, qk_norm=case["qk_norm"])


def make_weights(case):
    if case["family"] == "gpt2":
        return gpt2_weights(dim=128, layers=4)
    kv_heads = 4 if case["flavor"].endswith("gqa") else 16
    return llama_weights(256, 2, 16, kv_heads, 768, case["tied"], case["qk_norm"])


def compare(what, ours, theirs, tolerance):
    error = (ours - theirs).abs().max().item()
    if not error <= tolerance:
        sys.exit(f"{what}: differs by {error:.3g}, more than {tolerance:.3g}")
    return error


def run_case(runner, name):
    case = CASES[name]
    w = make_weights(case)
    tokens = torch.randint(0, VOCAB, (BATCH, SEQ))
    labels = torch.randint(0, VOCAB, (BATCH, SEQ))
    labels[torch.rand(BATCH, SEQ) < 0.3] = -100
    starts = torch.zeros(BATCH, SEQ, dtype=torch.int32)
    if case["packed"]:
        for row, borders in enumerate(([0, 13, 14, 40], [0, 31], [0])):
            for border in borders:
                starts[row, border:] = border
    with tempfile.TemporaryDirectory() as folder:
        given, made = os.path.join(folder, "in.safetensors"), os.path.join(folder, "out.safetensors")
        metadata = dict(family=case["family"], flavor=case["flavor"], vocab_size=str(VOCAB), max_seq_len=str(SEQ), lr="1e-3",
                        max_norm="1.0", warmup="2", **{k: str(int(case[k])) for k in ("tied", "qk_norm", "packed")})
        save_file({"weights." + n: t for n, t in w.items()} | dict(tokens=tokens, labels=labels, document_starts=starts), given, metadata)
        subprocess.run([runner, given, made], check=True)
        ours = load_file(made)

    w = {n: t.clone().requires_grad_() for n, t in w.items()}

    def loss_of():
        logits = reference(case, w, tokens, starts)
        return logits, F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=-100)

    logits, loss = loss_of()
    loss.backward()
    worst = compare("logits", ours["logits"], logits.detach(), 1e-5)
    compare("loss", ours["loss"], loss.detach(), 1e-5)
    for n, t in w.items():
        compare(f"gradient of {n}", ours["gradients." + n] / t.grad.abs().max(), t.grad / t.grad.abs().max(), 1e-5)
        t.grad = None
    optimizer = torch.optim.AdamW(w.values(), lr=1e-3, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, factor)
    for step in range(STEPS):
        optimizer.zero_grad()
        _, loss = loss_of()
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(w.values(), 1.0)
        optimizer.step()
        schedule.step()
        compare(f"loss of step {step + 1}", ours["losses"][step], loss.detach(), 1e-5)
        compare(f"gradient norm of step {step + 1}", ours["norms"][step] / norm, torch.ones(()), 1e-5)
    print(f"{name}: logits within {worst:.2g}, {len(w)} gradients, {STEPS} steps")


def main():
    runner = sys.argv[1]
    for name in sys.argv[2:] or CASES:
        run_case(runner, name)


if __name__ == "__main__":
    main()
