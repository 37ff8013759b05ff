/// The first action of a described client when its connection is open: it sends its login, counts as logged in, or
/// waits.
struct WireOpening: Sendable {
  let message: Int?
  let isLoggedIn: Bool

  init(_ described: Described?, _ names: HoleNames) throws(DescriptionError) {
    let opening = try described?.object(["say", "is"])
    message = try opening?["say"].map { (say) throws(DescriptionError) in try names.message(say) }
    if let verdict = opening?["is"] {
      guard try verdict.text() == "logged_in" else {
        throw verdict.unknown(try verdict.text(), "state of an open connection", among: ["logged_in"])
      }
    }
    isLoggedIn = opening?["is"] != nil
    if let described, message == nil && !isLoggedIn {
      throw described.error("says nothing; \"say\": a message, or \"is\": \"logged_in\"")
    }
    if let described, message != nil && isLoggedIn {
      throw described.error("\"say\" and \"is\" are both given; remove one")
    }
  }
}

extension HoleNames {
  /// Returns the number of the message that a value of a description names.
  func message(_ described: Described) throws(DescriptionError) -> Int {
    let name = try described.text()
    guard let number = sent.firstIndex(of: name) else {
      throw described.error("no message '\(name)' under /say" + Described.lead(name, to: sent))
    }
    return number
  }
}
