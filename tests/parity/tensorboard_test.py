"""Reads a run's event files with TensorBoard itself and compares them with the metrics.jsonl beside them.

usage: python tensorboard_test.py RUN_FOLDER      (needs the tensorboard package; the folder holds metrics.jsonl and tb/)
"""

import json
import math
import pathlib
import struct
import sys

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

# TensorBoard's tag: the key in metrics.jsonl and the factor between them.
STEP_TAGS = {
    "loss_metrics/global_avg_loss": ("loss", 1.0),
    "loss_metrics/global_max_loss": ("max_loss", 1.0),
    "grad_norm": ("grad_norm", 1.0),
    "lr": ("lr", 1.0),
    "n_tokens_seen": ("tokens", 1.0),
    "throughput(tps)": ("tps", 1.0),
    "mfu(%)": ("mfu", 100.0),
    "memory/max_active(GiB)": ("memory_gib", 1.0),
    "time_metrics/data_loading(s)": ("data_wait", 1.0),
}
VALIDATION_TAGS = {"validation_metrics/loss": ("validation_loss", 1.0)}
OTHER_TAGS = {"tflops", "time_metrics/end_to_end(s)", "time_metrics/data_loading(%)", "memory/max_active(%)"}


def float32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def same(event, value):
    """Event files hold float32; metrics.jsonl says null for what is not finite."""
    if value is None:
        return not math.isfinite(event)
    return math.isclose(event, float32(value), rel_tol=2.0**-23)  # one unit in the last place, for the factor's rounding


def compare(events, lines, tags):
    compared = 0
    for tag, (key, factor) in tags.items():
        expected = {line["step"]: line[key] for line in lines}
        if tag == "mfu(%)":  # left out where the device's peak is not known
            expected = {step: value for step, value in expected.items() if value is not None}
        found = {event.step: event.value for event in events.Scalars(tag)} if tag in events.Tags()["scalars"] else {}
        assert found.keys() == expected.keys(), f"{tag}: steps {sorted(found)} instead of {sorted(expected)}"
        for step, value in expected.items():
            scaled = None if value is None else value * factor
            assert same(found[step], scaled), f"{tag} at step {step}: {found[step]} instead of {scaled}"
            compared += 1
    return compared


def main(folder):
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    event_folders = sorted(path for path in (folder / "tb").iterdir() if path.is_dir())
    assert len(event_folders) == 1, f"expected the event files of one start, found {event_folders}"
    events = EventAccumulator(str(event_folders[0]), size_guidance={"scalars": 0})
    events.Reload()
    compared = compare(events, [line for line in lines if "loss" in line], STEP_TAGS)
    compared += compare(events, [line for line in lines if "validation_loss" in line], VALIDATION_TAGS)
    assert compared > 0, "nothing to compare"
    missing = OTHER_TAGS - set(events.Tags()["scalars"])
    assert not missing, f"tags that are not there: {missing}"
    print(f"{compared} values of {len(lines)} lines are the same")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]))
