package import GatewayCore
internal import GatewayKit
internal import GatewayRuntime
internal import Synchronization

/// The resources of a space; each vendor's are made at the first request that may be for one of them.
///
/// A test that asks for one token pays for the few resources of one vendor. It finds what an `HTTPRouter` of all resources
/// finds.
package final class VendorRoutes: RouteFinding {
  private let space: Space
  /// By the numbers of the vendors; nil until a vendor's resource is first requested.
  private let routers: Mutex<[HTTPRouter?]>

  package init(_ space: Space) {
    self.space = space
    routers = Mutex([HTTPRouter?](repeating: nil, count: space.vendors.count))
  }

  package func match(method: String, path: String) -> HTTPRouter.Match {
    var others: HTTPRouter.Match?
    let owner = owner(of: path)
    for number in [owner] + space.vendors.indices.filter({ $0 != owner }) {
      switch router(number).match(method: method, path: path) {
      case .found(let route, let parameters): return .found(route, parameters)
      case .otherMethods(let methods): others = others ?? .otherMethods(methods)
      case .none: continue
      }
    }
    return others ?? .none
  }

  /// Returns the vendor whose wire has the path.
  private func owner(of path: String) -> Int {
    space.vendors.firstIndex { $0.bindings.contains { $0.dialect.owns(path: path) } } ?? 0
  }

  private func router(_ number: Int) -> HTTPRouter {
    routers.withLock { routers in
      if let router = routers[number] { return router }
      let router = HTTPRouter(space.routes(of: space.vendors[number]))
      routers[number] = router
      return router
    }
  }
}
