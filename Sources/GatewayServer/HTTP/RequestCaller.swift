internal import GatewayCore
internal import Synchronization

/// The peer of a connection whose request is being answered, as far as the connection has heard of it: a browser that
/// gave up while its token was in the making, for instance.
final class RequestCaller: HTTPCaller {
  private let gone = Atomic<Bool>(false)

  var hasGone: Bool { gone.load(ordering: .relaxed) }

  func leave() { gone.store(true, ordering: .relaxed) }
}
