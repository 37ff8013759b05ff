internal import GatewayCore
internal import GatewayRuntime

/// A dialect that the hooks name and the gateway does not serve.
package struct UnknownDialect: Error, CustomStringConvertible {
  let name: Name
  let served: [String]

  package var description: String {
    "the backend is to be asked about clients of '\(name.text)', which is not served; name some of "
      + served.joined(separator: ", ")
  }

  static func check(_ names: Set<Name>, _ bindings: [DialectBinding]) throws(UnknownDialect) {
    let served = bindings.map(\.dialect.name)
    guard let name = names.sorted().first(where: { name in !served.contains { Name($0) == name } }) else { return }
    throw UnknownDialect(name: name, served: served)
  }
}
