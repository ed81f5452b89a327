import Testing

@testable import EventLoop

/// Each item has two payers: a project and a network.
@Suite("Charged queues")
struct ChargedQueueTests {
    struct Row: CustomTestStringConvertible {
        let testDescription: String
        let capacity: Int
        /// For each item `project/network`, and its cost if it is not 1: `project/network:cost`.
        let arrivals: [String]
        /// The items that are rejected or displaced, in this order.
        var rejected: [String] = []
        /// The other items, in the order in which they are served.
        let served: [String]
    }

    private static func charge(for item: String) -> ChargedQueue<String>.Charge {
        let parts = item.split(separator: ":")
        return ChargedQueue<String>.Charge(
            to: parts[0].split(separator: "/").map(String.init), cost: parts.count == 2 ? Int(parts[1]) ?? 0 : 1)
    }

    @Test(
        "Items are charged to their project and their network",
        arguments: [
            Row(
                testDescription: "a project with many items from many networks waits for the others", capacity: 16,
                arrivals: ["p/1", "p/2", "p/3", "q/4"], served: ["p/1", "q/4", "p/2", "p/3"]),
            Row(
                testDescription: "a network with items for many projects waits for the others", capacity: 16,
                arrivals: ["p/1", "q/1", "r/1", "s/2"], served: ["p/1", "s/2", "q/1", "r/1"]),
            Row(
                testDescription: "inside a project, the networks take turns", capacity: 16,
                arrivals: ["p/1", "p/1", "p/1", "p/2", "p/3"], served: ["p/1", "p/2", "p/3", "p/1", "p/1"]),
            Row(
                testDescription: "after an expensive item, others may cost as much before the next one", capacity: 16,
                arrivals: ["p/1:3", "p/1:3", "q/2", "q/2", "q/2", "q/2"],
                served: ["p/1:3", "q/2", "q/2", "q/2", "p/1:3", "q/2"]),
            Row(
                testDescription: "a project fills at most half of the queue", capacity: 4,
                arrivals: ["p/1", "p/2", "p/3"], rejected: ["p/3"], served: ["p/1", "p/2"]),
            Row(
                testDescription: "a network fills at most half of the queue", capacity: 4,
                arrivals: ["p/1", "q/1", "r/1"], rejected: ["r/1"], served: ["p/1", "q/1"]),
            Row(
                testDescription: "in a full project, a new item displaces one of the network with the most items",
                capacity: 6, arrivals: ["p/1", "p/1", "p/1", "p/2"], rejected: ["p/1"],
                served: ["p/1", "p/2", "p/1"]),
            Row(
                testDescription: "in a full queue, a new item displaces one of the payer with the most items",
                capacity: 4, arrivals: ["p/1", "p/2", "q/3", "r/4", "s/5"], rejected: ["p/2"],
                served: ["p/1", "q/3", "r/4", "s/5"]),
            Row(
                testDescription: "a payer with one item more than the new one loses none", capacity: 6,
                arrivals: ["p/1", "p/2", "q/3", "q/4", "r/5", "s/6", "r/7"], rejected: ["r/7"],
                served: ["p/1", "q/3", "r/5", "s/6", "p/2", "q/4"]),
        ])
    func order(row: Row) {
        var queue = ChargedQueue<String>()
        var rejected: [String] = []
        for item in row.arrivals {
            if let loser = queue.admit(item, charge: Self.charge(for: item), capacity: row.capacity) {
                rejected.append(loser)
            }
        }
        #expect(rejected == row.rejected)
        #expect(queue.count == row.served.count)
        var served: [String] = []
        while let next = queue.popNext() { served.append(next) }
        #expect(served == row.served)
        #expect(queue.count == 0)
    }

    @Test("An item that is not charged does not delay its payers")
    func uncharged() {
        var queue = ChargedQueue<String>()
        for item in ["p/1", "p/1", "q/2"] { _ = queue.admit(item, charge: Self.charge(for: item), capacity: 16) }
        #expect(queue.popNext { _ in false } == "p/1")
        #expect(queue.popNext() == "p/1")
        #expect(queue.popNext() == "q/2")
    }

    @Test("Old charges matter less: a project that was served alone for long is served beside a new project")
    func newcomer() {
        var queue = ChargedQueue<String>()
        for _ in 0..<2 { _ = queue.admit("old/1", charge: Self.charge(for: "old/1"), capacity: 16) }
        for _ in 0..<10_000 {
            _ = queue.admit("old/1", charge: Self.charge(for: "old/1"), capacity: 16)
            _ = queue.popNext()
        }
        let served = (0..<100).compactMap { _ in
            for item in ["old/1", "new/2"] { _ = queue.admit(item, charge: Self.charge(for: item), capacity: 16) }
            return queue.popNext()
        }
        #expect(served.count { $0 == "old/1" } > 10)
    }

    struct Flood: CustomTestStringConvertible {
        let testDescription: String
        /// Returns the payers of an item of the flood.
        let item: @Sendable (_ number: Int) -> String
        /// The most items of the flood that are served before the victim's.
        let before: Int
    }

    @Test(
        "During a flood, another client waits for at most one item of each of the flood's projects or networks",
        arguments: [
            Flood(testDescription: "one project, many networks", item: { "p/\($0)" }, before: 1),
            Flood(testDescription: "one network, many projects", item: { "p\($0)/1" }, before: 1),
            Flood(testDescription: "three projects and networks", item: { "p\($0 % 3)/\($0 % 3)" }, before: 3),
            Flood(testDescription: "the project of the victim", item: { _ in "victim/1" }, before: 1),
        ])
    func floods(flood: Flood) {
        var queue = ChargedQueue<String>()
        for round in 0..<100 {
            for number in 0..<50 {
                let item = flood.item(round * 50 + number)
                _ = queue.admit("flood", charge: Self.charge(for: item), capacity: 32)
            }
            #expect(queue.admit("victim", charge: Self.charge(for: "victim/v"), capacity: 32) != "victim")
            let served = (0...flood.before).map { _ in queue.popNext() }
            #expect(served.contains("victim"))
        }
    }
}
