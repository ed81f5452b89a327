/// A person and a client that the person signs in to.
struct ConsentKey: Hashable {
    let personID: String
    let clientID: String
}
