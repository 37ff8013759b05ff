/// The number of sessions that an order reached, its answer.
package struct SessionsReached: Codable, Sendable {
  package let sessions: Int
}
