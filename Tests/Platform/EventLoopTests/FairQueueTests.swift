import Testing

@testable import EventLoop

/// Each item has a path of keys, from the widest (such as a /24 network) to the narrowest (such as an address).
@Suite("Fair queues")
struct FairQueueTests {
    struct Row: CustomTestStringConvertible {
        let testDescription: String
        let capacity: Int
        /// The keys of each item, joined by slashes.
        let arrivals: [String]
        /// The items that are rejected or displaced, in this order.
        let rejected: [String]
        /// The other items, in the order in which they are served.
        let served: [String]
    }

    @Test(
        "The queue is shared fairly between wide keys, and within each wide key between narrow keys",
        arguments: [
            Row(
                testDescription: "narrow keys of one wide key share its turn", capacity: 16,
                arrivals: ["a/1", "a/2", "a/3", "b/1"], rejected: [], served: ["a/1", "b/1", "a/2", "a/3"]),
            Row(
                testDescription: "inside a wide key, the narrow ones take turns", capacity: 16,
                arrivals: ["a/1/x", "a/1/y", "a/1/z", "a/2/x"], rejected: [],
                served: ["a/1/x", "a/2/x", "a/1/y", "a/1/z"]),
            Row(
                testDescription: "a wide key fills at most half of the queue", capacity: 4,
                arrivals: ["a/1", "a/2", "a/3"], rejected: ["a/3"], served: ["a/1", "a/2"]),
            Row(
                testDescription: "in a full wide key, a new item displaces one from the narrow key with the most items",
                capacity: 8,
                arrivals: ["a/1", "a/1", "a/1", "a/2", "a/3"], rejected: ["a/1"], served: ["a/1", "a/2", "a/3", "a/1"]),
            Row(
                testDescription: "in a full queue, a new item displaces one from the wide key with the most items",
                capacity: 6,
                arrivals: ["a/1", "a/2", "a/3", "b/1", "c/1", "d/1", "e/1"], rejected: ["a/3"],
                served: ["a/1", "b/1", "c/1", "d/1", "e/1", "a/2"]),
            Row(
                testDescription: "if each wide key has one item, a new item is rejected", capacity: 3,
                arrivals: ["a/1", "b/1", "c/1", "d/1"], rejected: ["d/1"], served: ["a/1", "b/1", "c/1"]),
            Row(
                testDescription: "if no other wide key has more items, a new item displaces one from its own wide key",
                capacity: 6,
                arrivals: ["a/1", "a/1", "a/1", "b/1", "b/1", "b/1", "a/2"], rejected: ["a/1"],
                served: ["a/1", "b/1", "a/2", "b/1", "a/1", "b/1"]),
        ])
    func admission(row: Row) {
        var queue = FairQueue<String>()
        var rejected: [String] = []
        for arrival in row.arrivals {
            let path = arrival.split(separator: "/").map(String.init)
            if let item = queue.admit(arrival, at: path, capacity: row.capacity) { rejected.append(item) }
        }
        #expect(rejected == row.rejected)
        #expect(queue.count == row.served.count)
        var served: [String] = []
        while let next = queue.popNext() { served.append(next) }
        #expect(served == row.served)
        #expect(queue.count == 0)
    }

    struct Flood: CustomTestStringConvertible {
        let testDescription: String
        /// The number of wide keys that the flood uses.
        let wideKeys: Int
        /// Returns the path of an item of the flood.
        let path: @Sendable (_ number: Int) -> [String]
    }

    @Test(
        "During a flood, another client waits for at most one item of each of the flood's wide keys",
        arguments: [
            Flood(testDescription: "one IPv4 address", wideKeys: 1) { _ in ["192.0.2.0/24", "192.0.2.1"] },
            Flood(testDescription: "one /24", wideKeys: 1) { ["192.0.2.0/24", "192.0.2.\($0 % 256)"] },
            Flood(testDescription: "one /64", wideKeys: 1) { _ in ["a::/48", "a::/56", "a::/64"] },
            Flood(testDescription: "one /56", wideKeys: 1) { ["a::/48", "a::/56", "a:0:0:\($0 % 256)::/64"] },
            Flood(testDescription: "one /48", wideKeys: 1) {
                ["a::/48", "a:0:0:\($0 % 256)00::/56", "a:0:0:\($0 % 65536)::/64"]
            },
            Flood(testDescription: "ten /24", wideKeys: 10) {
                ["10.0.\($0 % 10).0/24", "10.0.\($0 % 10).\($0 % 256)"]
            },
            Flood(testDescription: "a /48 and a /24", wideKeys: 2) {
                $0 % 2 == 0 ? ["a::/48", "a:0:0:\($0)::/56", "\($0)"] : ["192.0.2.0/24", "192.0.2.\($0 % 256)"]
            },
        ])
    func floods(flood: Flood) {
        var queue = FairQueue<String>()
        for round in 0..<200 {
            // More arrivals than the capacity.
            for number in 0..<50 { _ = queue.admit("flood", at: flood.path(round * 50 + number), capacity: 32) }
            let rejected = queue.admit("victim", at: ["v::/48", "v::/56", "v::/64"], capacity: 32)
            #expect(rejected != "victim")
            let served = (0...flood.wideKeys).map { _ in queue.popNext() }
            #expect(served.contains("victim"))
        }
    }
}
