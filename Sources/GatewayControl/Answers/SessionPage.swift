/// A page of sessions, the answer of `GET /sessions`.
package struct SessionPage: Codable, Sendable {
  package var sessions: [SessionBody]
  /// The value of `after` for the next page; absent on the last.
  package var next: String?
  /// The nodes that did not answer in time, so their sessions are missing; absent if there are none.
  package var nodesMissing: [String]?

  private enum CodingKeys: String, CodingKey {
    case sessions
    case next
    case nodesMissing = "nodes_missing"
  }

  init(sessions: [SessionBody], next: String?) {
    (self.sessions, self.next) = (sessions, next)
  }
}
