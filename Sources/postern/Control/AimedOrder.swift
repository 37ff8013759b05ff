import GatewayCore
import GatewayKit

/// An order, or the values for one, with the sessions that it is for.
struct AimedOrder<Order: Sendable>: Sendable {
  private(set) var user: String?
  private var session: String?
  private var isForAll = false
  private(set) var order: Order

  init(_ order: Order) { self.order = order }

  /// Returns the flags that name the sessions, then the flags of the order.
  @OptionList<AimedOrder>
  static func options(_ own: [Option<Order>]) -> [Option<AimedOrder>] {
    Option("user", "ID", "the sessions of this user", \.user, .text)
    Option("session", "ID", "the session with this ID", \.session, .text)
    Option("all", "every session", \.isForAll)
    own.map { $0.of(\.order) }
  }

  /// Returns the path of the order `word` to these sessions.
  func path(to word: String) throws -> String {
    switch (session, user, isForAll) {
    case (let session?, nil, false): "/sessions/\(PercentEncoding.encode(session))/\(word)"
    case (nil, let user?, false): "/users/\(PercentEncoding.encode(user))/\(word)"
    case (nil, nil, true): "/sessions/\(word)"
    default: throw UsageError("ctl \(word) needs one of --session ID, --user ID or --all")
    }
  }
}
