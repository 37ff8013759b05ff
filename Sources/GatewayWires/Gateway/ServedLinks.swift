internal import GatewayCore
internal import Synchronization

/// The parts that all connections of a played wire share.
///
/// These are the names by which requests over HTTP find a connection, and the mint of tokens that the gateway pushes.
final class ServedLinks: Sendable {
  /// Mints the next token of a connection's user and gives it to the session.
  typealias Push = @Sendable (ConnectionID, UserID, UserKind, Duration) -> Void

  private let names = Mutex<[String: ConnectionID]>([:])
  private let pushing = Mutex<Push?>(nil)

  /// Sets the mint. Without one nothing is pushed.
  func set(_ push: @escaping Push) { pushing.withLock { $0 = push } }

  func push(_ connection: ConnectionID, _ user: UserID, _ kind: UserKind, life: Duration) {
    pushing.withLock { $0 }?(connection, user, kind, life)
  }

  /// Notes the name under which an upgrade opened the connection.
  func name(_ connection: ConnectionID, _ name: String) { names.withLock { $0[name] = connection } }

  /// Forgets the name, unless a later connection has it.
  func forget(_ connection: ConnectionID, _ name: String) {
    names.withLock { names in if names[name] == connection { names[name] = nil } }
  }

  /// Returns the connection of that name, which an upgrade showed or the gateway itself said; nil for none.
  func connection(named name: String) -> ConnectionID? { names.withLock { $0[name] } ?? ConnectionID(name) }
}
