import GatewayCore
import GatewayKit
import GatewayWires

/// The wire format of a storm's clients, and the source of their tokens.
struct StormDialect {
  let client: any ClientDialect
  /// The path of the token endpoint, below the provider's address.
  let providerPath: String
  /// Whether the provider may have another path.
  let mayMoveProvider: Bool
  private let tool: any ClientTool

  private static let ownProvider = "/v1/tokens"

  init(_ arguments: Arguments) throws {
    let vendor = try Vendors.named(by: "dialect", arguments)
    tool = vendor.clients
    let unused =
      (tool.sdks.isEmpty ? ["sdk"] : []) + (tool.usualApplication == nil ? ["application"] : [])
      + Vendors.all.filter { $0 != vendor }.flatMap { $0.clients.flags.map(\.name) }
    try arguments.refuse(unused, with: "dialect", vendor.scheme)
    let secret = try arguments.secret("provider-secret-file").map { Credentials(token: $0) }
    let ownClient = try tool.dialect(arguments, providerSecret: secret)
    if let file = arguments.value("wire") {
      try arguments.refuse(["dialect"], with: "wire", file.text)
      let secrets = try TemplateSecrets.read(arguments)
      client = DescribedClientDialect(try WireFile.read(file), provider: ownClient, secrets: secrets)
    } else {
      client = ownClient
    }
    let path = tool.providerPath(secret)
    providerPath = path ?? Self.ownProvider
    mayMoveProvider = path == nil
  }

  /// Returns the issuer for clients that mint their own tokens.
  func issuer(_ arguments: Arguments) throws -> any TokenIssuer {
    try tool.issuer(arguments)
  }

  /// The time in which clients reconnect by themselves. It covers the 35 s for which a JavaScript client is silent after a
  /// close with 1000, and the waits of several attempts.
  var comeback: Duration {
    guard let comeback = client.habits.comeback else { return .zero }
    let silence = comeback.heedsNormalClose ? client.habits.keepAlive?.limit ?? .zero : .zero
    return silence + .seconds(60)
  }
}
