/// Finds the known name that the operator probably meant.
package enum NearestName {
    /// Returns a question such as `; did you mean "users list"?`, or an empty text if no name is similar.
    package static func question(_ text: String, among names: [String]) -> String {
        nearest(to: text, among: names).map { "; did you mean \($0)?" } ?? ""
    }

    /// Returns the first of the most similar names; `nil` if every name differs in more than a third of its characters.
    static func nearest(to text: String, among names: [String]) -> String? {
        // Longer texts are no typing errors, and their distance takes long to compute.
        guard text.utf8.count <= 80 else { return nil }
        let candidates = names.map { (name: $0, distance: distance(Array(text.utf8), Array($0.utf8))) }
        let limit = max(1, text.utf8.count / 3)
        return candidates.filter { $0.distance <= limit }.min { $0.distance < $1.distance }?.name
    }

    /// Returns the number of bytes to insert, remove or replace, or of neighbours to swap (the restricted
    /// Damerau-Levenshtein distance).
    private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var beforePrevious: [Int] = []
        var previous = Array(0...b.count)
        for i in a.indices {
            var current = [i + 1]
            for j in b.indices {
                var best = min(previous[j + 1] + 1, current[j] + 1, previous[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, beforePrevious[j - 1] + 1) }
                current.append(best)
            }
            (beforePrevious, previous) = (previous, current)
        }
        return previous[b.count]
    }
}
