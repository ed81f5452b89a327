-- Functions that all scripts for wrk share. The scripts have two arguments, which follow `--` in wrk's command line: a
-- file and the number of wrk's threads.

local threads = 0

-- Called by wrk for each thread. Sets the thread's global `thread_number`, which counts from 0.
function setup(thread)
    thread:set("thread_number", threads)
    threads = threads + 1
end

-- Returns the lines of the file that belong to this thread. The lines are divided equally among the threads.
function lines_of_this_thread(arguments)
    local lines, count = {}, 0
    for line in io.lines(arguments[1]) do
        if count % tonumber(arguments[2]) == thread_number then table.insert(lines, line) end
        count = count + 1
    end
    return lines
end

-- Called by wrk at the end. Prints the results, which bench.py reads.
function done(summary, latency)
    local errors = summary.errors
    io.write(string.format(
        '{"requests": %d, "microseconds": %d, "failed": %d, "p50": %d, "p99": %d}\n', summary.requests,
        summary.duration, errors.status + errors.connect + errors.read + errors.write + errors.timeout,
        latency:percentile(50), latency:percentile(99)))
end
