"""Resident memory of an idle gateway."""

from gateway import eventually
from processes import resident_memory


def test_the_memory_of_an_idle_gateway_falls_below_three_quarters_of_its_peak(new_installation):
    with new_installation().serving() as running:
        process_id = running.process.pid
        assert eventually(lambda: resident_memory(process_id) < 0.75 * resident_memory(process_id, "VmHWM"))
