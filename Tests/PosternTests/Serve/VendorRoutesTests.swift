import GatewayCore
import GatewayKit
import GatewayPlain
import GatewayProcess
import GatewaySpace
import TestSupport
import Testing

@testable import postern

struct VendorRoutesTests {
  private func found(_ router: some RouteFinding, _ method: String, _ path: String) -> String {
    switch router.match(method: method, path: path) {
    case .found(let route, _): "\(route.method) \(route.pattern)"
    case .otherMethods(let methods): "only \(methods.sorted())"
    case .none: "none"
    }
  }

  @Test
  func
    `a space's resources are found as in a gateway that has all of them ready, though each vendor's are made on demand`()
    throws
  {
    let options = try ServeOptions(
      Arguments([], flags: ServeFlags.all, environment: [:], operands: false, among: Postern.commands))
    let space = try TestSpace<PlainVendor>(options.settings.space, loops: 1).space
    let ready = HTTPRouter(space.routes)
    #expect(ready.routes.count > 100)
    for number in stride(from: 0, to: ready.routes.count, by: 11) {
      let route = ready.routes[number]
      let path = route.pattern.replacing(#/\{[^}]*\}/#, with: "x")
      // A new one without earlier requests.
      #expect(found(VendorRoutes(space), route.method, path) == "\(route.method) \(route.pattern)")
    }
    let late = VendorRoutes(space)
    let known = ready.routes.map { $0.pattern.replacing(#/\{[^}]*\}/#, with: "x") }
    for path in known + ["/", "/v3", "/nothing", "/%zz"] {
      for method in ["GET", "POST", "BREW"] {
        #expect(found(late, method, path) == found(ready, method, path), "\(path)")
      }
    }
  }
}
