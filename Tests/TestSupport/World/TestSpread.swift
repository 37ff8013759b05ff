package import GatewayCore
package import GatewayRuntime
package import GatewaySpace
internal import Synchronization

/// The clients and the requests of a test over two gateways of one store: each go to the gateways by turns, clients first to the
/// one and requests first to the other.
package final class TestSpread: Sendable {
  private let dials = Atomic(0)
  private let requests = Atomic(1)
  private let other = Mutex<Space?>(nil)

  /// The second gateway; nil if there is one alone, which gets all.
  package internal(set) var second: Space? {
    get { other.withLock { $0 } }
    set { other.withLock { $0 = newValue } }
  }

  /// Returns the address of the next client's gateway.
  package func dial() -> DialTarget { address(.gateway, dials) }

  /// Returns a request to `target` with the address to which it goes. Clients know one name of all gateways.
  package func request(_ request: HTTPRequest, to target: DialTarget) -> (HTTPRequest, DialTarget) {
    let actual = address(target, requests)
    guard actual != target, request.header("host") == nil else { return (request, actual) }
    var request = request
    request.headers.append(HTTPField("host", "\(target.host):\(target.port)"))
    return (request, actual)
  }

  private func address(_ target: DialTarget, _ count: borrowing Atomic<Int>) -> DialTarget {
    guard second != nil, [DialTarget.gateway.port, DialTarget.control.port].contains(target.port),
      count.wrappingAdd(1, ordering: .relaxed).oldValue % 2 == 1
    else { return target }
    var target = target
    target.port += DialTarget.second.port - DialTarget.gateway.port
    return target
  }
}
