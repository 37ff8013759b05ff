import GatewayCore
import GatewayKit

/// The flags of the Streem platform's OpenID provider, e.g. `--streem-oidc-client`.
enum OpenIDOptions {
  private static let client = Option<OpenIDSettings>(
    "streem-oidc-client", "ID=REDIRECT",
    "a client of the OpenID provider and its redirect address, instead of streem-sdk", repeats: true)
  private static let logout = Option<OpenIDSettings>(
    "streem-oidc-logout", "ID=REDIRECT", "an address that an OpenID client may be sent to after logout", repeats: true)

  @OptionList<OpenIDSettings>
  static var all: [Option<OpenIDSettings>] {
    client
    logout
    Option(
      "streem-oidc-user", "NAME=FILE",
      "a user of the OpenID provider, and the file with the password (default: any user with any password)",
      repeats: true
    ) { try $1.users.append(user($0)) }
    Option(
      "streem-oidc-signing", "ID=RS256|ES256", "the algorithm that signs an OpenID client's ID tokens (default RS256)",
      repeats: true
    ) { value, settings in
      let (index, text) = try named(by: value, in: settings.clients)
      guard let signing = OpenIDClient.Signing(rawValue: text) else {
        throw UsageError(value.source, value: value.text, expected: "the client's id, = and RS256 or ES256")
      }
      settings.clients[index].signing = signing
    }
    Option(
      "streem-oidc-tries", "N",
      "wrong passwords that the OpenID provider allows for one name in 5 minutes (default 10)", \.tries,
      .int(1...1_000_000))
    Option(
      "streem-oidc-logins", "N",
      "login forms that one address may send to the OpenID provider per minute (default 300)", \.loginsPerMinute,
      .int(1...1_000_000))
    Option(
      "streem-oidc-address", "URL", "the OpenID provider's address for clients (default: the Host of each request)"
    ) { address, settings in
      guard let parts = WebAddress(address.text), ["http", "https"].contains(parts.scheme), parts.query == nil,
        !parts.hasFragment, !address.text.hasSuffix("/")
      else {
        throw UsageError(address.source, value: address.text, expected: "an address as https://id.example, no / last")
      }
      settings.address = address.text
    }
    Option(
      "streem-oidc-access-life", "DURATION",
      "how long access tokens and ID tokens of the OpenID provider are valid (default 1h)",
      \.accessLife, .secondOrMore)
    Option(
      "streem-oidc-reuse-window", "DURATION",
      "how long the OpenID provider accepts a used refresh token again (default 0s: a second use ends the grant)",
      \.reuseWindow,
      .duration)
  }

  /// Returns the clients in the flags, in the order of their first mention; empty if there are none.
  static func clients(_ arguments: Arguments) throws -> [OpenIDClient] {
    var clients: [OpenIDClient] = []
    for value in arguments.values(of: client) {
      let (id, redirect) = try pair(value)
      if let index = clients.firstIndex(where: { $0.id == id }) {
        clients[index].redirects.append(redirect)
      } else {
        clients.append(OpenIDClient(id: id, redirects: [redirect]))
      }
    }
    for value in arguments.values(of: logout) {
      let (index, redirect) = try named(by: value, in: clients)
      guard OpenIDClient.isRedirect(redirect) else { throw noRedirect(value) }
      clients[index].logoutRedirects.append(Name(redirect))
    }
    return clients
  }

  /// Returns the index of the client that a value's first part names, and the value's second part.
  private static func named(
    by value: Arguments.Value, in clients: [OpenIDClient]
  ) throws -> (index: Int, rest: String) {
    let parts = value.text.split(separator: "=", maxSplits: 1).map(String.init)
    guard parts.count == 2, let index = clients.firstIndex(where: { $0.id == Name(parts[0]) }) else {
      throw UsageError(value.source, value: value.text, expected: "the id of an OpenID client, and = behind it")
    }
    return (index, parts[1])
  }

  private static func pair(_ value: Arguments.Value) throws -> (id: Name, redirect: Name) {
    let parts = value.text.split(separator: "=", maxSplits: 1).map(String.init)
    guard parts.count == 2, OpenIDClient.isRedirect(parts[1]) else { throw noRedirect(value) }
    return (Name(parts[0]), Name(parts[1]))
  }

  private static func noRedirect(_ value: Arguments.Value) -> UsageError {
    UsageError(
      value.source, value: value.text, expected: "the client's id, = and an absolute address without a fragment")
  }

  /// Reads a user: `NAME` is of the home company, `COMPANY~NAME` of another.
  private static func user(_ value: Arguments.Value) throws -> OpenIDUser {
    let parts = value.text.split(separator: "=", maxSplits: 1).map(String.init)
    guard parts.count == 2 else {
      throw UsageError(value.source, value: value.text, expected: "the user's name, = and the file of the password")
    }
    let names = parts[0].split(separator: "~", maxSplits: 1).map(String.init)
    let password = try SecretFile.read(parts[1], of: value)
    return names.count == 2
      ? OpenIDUser(name: Name(names[1]), company: Name(names[0]), password: password)
      : OpenIDUser(name: Name(parts[0]), password: password)
  }
}
