import Telemetry
import Testing

@Suite("Metrics")
struct MetricsTests {
    @Test("Metrics are rendered for Prometheus in the order of registration")
    func render() {
        let metrics = Metrics()
        let requests = metrics.counter(
            "requests_total", help: "Requests \\ by\noperation.",
            labels: [MetricLabel("operation", ["signUp", "lookup"]), MetricLabel("status", ["2xx", "4xx"])])
        let latency = metrics.histogram("latency_seconds", help: "Latency.", bounds: [0.5, 1])
        let open = metrics.gauge("open", help: "Open.")
        metrics.gauge("computed", help: "Computed.") { 2.5 }
        metrics.gauge("lag", help: "Lag.", label: "loop") { ["b": .infinity, "a": -.infinity, "c": .nan] }

        requests.increment("signUp", "2xx")
        requests.increment(by: 4, "signUp", "2xx")
        requests.increment("lookup", "4xx")
        latency.observe(0.25)
        latency.observe(0.5)
        latency.observe(.milliseconds(750))
        latency.observe(8)
        open.set(3)
        open.add(-1)

        #expect(
            metrics.render() == #"""
                # HELP requests_total Requests \\ by\noperation.
                # TYPE requests_total counter
                requests_total{operation="signUp",status="2xx"} 5
                requests_total{operation="signUp",status="4xx"} 0
                requests_total{operation="lookup",status="2xx"} 0
                requests_total{operation="lookup",status="4xx"} 1
                # HELP latency_seconds Latency.
                # TYPE latency_seconds histogram
                latency_seconds_bucket{le="0.5"} 2
                latency_seconds_bucket{le="1"} 3
                latency_seconds_bucket{le="+Inf"} 4
                latency_seconds_sum 9.5
                latency_seconds_count 4
                # HELP open Open.
                # TYPE open gauge
                open 2
                # HELP computed Computed.
                # TYPE computed gauge
                computed 2.5
                # HELP lag Lag.
                # TYPE lag gauge
                lag{loop="a"} -Inf
                lag{loop="b"} +Inf
                lag{loop="c"} NaN

                """#)
    }

    @Test("A histogram has its own buckets for each label value, once it is used, and label values are escaped")
    func labelled() {
        let metrics = Metrics()
        let sizes = metrics.histogram(
            "sizes", help: "", labels: [MetricLabel("kind", ["a\"\\\n", "b"])], bounds: [1])
        #expect(!metrics.render().contains("bucket"))
        sizes.observe(1, "a\"\\\n")
        #expect(
            metrics.render().split(separator: "\n").dropFirst(2) == [
                #"sizes_bucket{kind="a\"\\\n",le="1"} 1"#, #"sizes_bucket{kind="a\"\\\n",le="+Inf"} 1"#,
                #"sizes_sum{kind="a\"\\\n"} 1"#, #"sizes_count{kind="a\"\\\n"} 1"#,
            ])
        sizes.observe(1, "b")
        #expect(metrics.render().split(separator: "\n").count == 10)
    }

    @Test("Unknown label values are counted as `other`")
    func bounded() {
        let metrics = Metrics()
        let requests = metrics.counter("requests", help: "", labels: [MetricLabel("operation", ["a"])])
        #expect(!metrics.render().contains("other"))
        for number in 0..<1000 { requests.increment("made up \(number)") }
        #expect(
            metrics.render().split(separator: "\n").dropFirst(2) == [
                #"requests{operation="a"} 0"#, #"requests{operation="other"} 1000"#,
            ])
    }

    @Test("No measurement of concurrent tasks is lost")
    func concurrent() async {
        let metrics = Metrics()
        let counter = metrics.counter("counter", help: "")
        let histogram = metrics.histogram("histogram", help: "", bounds: [1])
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<10_000 {
                        counter.increment()
                        histogram.observe(1)
                    }
                }
            }
        }
        let text = metrics.render()
        #expect(text.contains("counter 80000\n"))
        #expect(text.contains("histogram_bucket{le=\"1\"} 80000\n"))
        #expect(text.contains("histogram_sum 80000\n"))
    }
}
