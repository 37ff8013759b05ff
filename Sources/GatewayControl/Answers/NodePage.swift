/// The processes that share the store, the answer of `GET /nodes`.
package struct NodePage: Codable, Sendable {
  package let nodes: [NodeBody]

  package init(nodes: [NodeBody]) {
    self.nodes = nodes
  }
}

/// One of several processes with a common store.
package struct NodeBody: Codable, Sendable {
  /// Whether it renews its lease, and answers.
  package enum State: String, Codable, Sendable {
    case live
    /// Its lease has not ended, but it did not answer in time.
    case silent
  }

  /// The number of the process, 0 to 63.
  package let slot: Int
  /// The value of `--node-name`; absent for a process that has the store for itself.
  package let name: String?
  /// How often the number had been taken before.
  package let boot: Int
  package let state: State
  /// The number of its logged-in sessions; absent if it is not known.
  package let sessions: Int?
  /// Whether it is the process that answers.
  package let isThis: Bool

  package enum CodingKeys: String, CodingKey {
    case slot
    case name
    case boot
    case state
    case sessions
    case isThis = "is_this"
  }

  package init(slot: Int, name: String?, boot: Int, state: State, sessions: Int?, isThis: Bool) {
    (self.slot, self.name, self.boot, self.state) = (slot, name, boot, state)
    (self.sessions, self.isThis) = (sessions, isThis)
  }
}
