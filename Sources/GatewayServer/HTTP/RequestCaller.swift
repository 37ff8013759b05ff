internal import GatewayCore
internal import Synchronization

/// The peer of a connection whose request is being answered. It records whether the connection has detected the peer's
/// departure.
final class RequestCaller: HTTPCaller {
  private let gone = Atomic<Bool>(false)

  var hasGone: Bool { gone.load(ordering: .relaxed) }

  func leave() { gone.store(true, ordering: .relaxed) }
}
