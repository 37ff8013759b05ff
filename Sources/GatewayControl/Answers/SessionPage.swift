/// A page of sessions, the answer of `GET /sessions`.
package struct SessionPage: Codable, Sendable {
  package let sessions: [SessionBody]
  /// The value of `after` for the next page; absent on the last.
  package let next: String?
}
