/// The behaviours of the conventions that no conformance run tries, since no action of a single client could show them.
enum NotTried {
  /// Behaviours, by their ids, with their common reason.
  struct Group: Sendable {
    let ids: [String]
    let reason: String
  }

  static let groups: [Group] = [
    Group(ids: ["R14"], reason: "no wire has a message that brings a client its token"),
    Group(ids: ["P7"], reason: "refresh tokens are between the application's backend and its OpenID provider"),
    Group(ids: ["P9"], reason: "who fetches keys is the gateway; its clients see nothing of it"),
    Group(ids: ["P10"], reason: "to one client a provider with a queue is a slow one, which P1 tries"),
    Group(
      ids: ["V3", "V4", "V5", "V6", "V7"],
      reason: "a run gives its client one user of the regular kind, and what others are refused is about them"),
    Group(ids: ["C5"], reason: "to one client a drift is a clock that is wrong, which C1 tries"),
    Group(
      ids: ["X1", "X2", "X3", "X6", "X7", "X9", "X14"],
      reason: "a storm takes a fleet: postern storm drives it; of one client E2, E3, P4 and V1 show the same"),
    Group(ids: ["H1", "H2", "H4"], reason: "no wire names another gateway's address, or resumes a session"),
  ]

  static var text: String {
    groups.map { "\($0.ids.joined(separator: ", ")): not tried, \($0.reason)" }.joined(separator: "\n")
  }
}
