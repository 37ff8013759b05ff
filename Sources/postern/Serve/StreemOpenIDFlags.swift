import Foundation
import GatewayDialects

/// The flags of the Streem platform's OpenID provider.
enum StreemOpenIDFlags {
  static let all = [
    Flag("streem-oidc-client", "ID=REDIRECT", "a client of the OpenID provider, in place of streem-sdk", repeats: true),
    Flag("streem-oidc-logout", "ID=REDIRECT", "where that client may be sent after logging out", repeats: true),
    Flag(
      "streem-oidc-user", "NAME=FILE", "who may log in, with the password in the file (default: all, with any)",
      repeats: true),
    Flag("streem-oidc-address", "URL", "the provider's address for clients (default: as each request's Host says)"),
    Flag("streem-oidc-access-life", "DURATION", "how long its access tokens and ID tokens are good (default 1h)"),
  ]

  static func settings(_ arguments: Arguments) throws -> OpenIDSettings {
    var settings = OpenIDSettings()
    let clients = try clients(arguments)
    if !clients.isEmpty { settings.clients = clients }
    settings.users = try arguments.values("streem-oidc-user").map(user)
    if let address = arguments.value("streem-oidc-address") {
      guard let components = URLComponents(string: address.text), ["http", "https"].contains(components.scheme),
        components.host?.isEmpty == false, components.query == nil, components.fragment == nil,
        !address.text.hasSuffix("/")
      else {
        throw UsageError(address.source, value: address.text, expected: "an address as https://id.example, no / last")
      }
      settings.address = address.text
    }
    if let life = try arguments.duration("streem-oidc-access-life") {
      guard life >= .seconds(1) else {
        throw UsageError("--streem-oidc-access-life", value: "\(life)", expected: "1s or more")
      }
      settings.accessLife = life
    }
    return settings
  }

  /// In the order in which they are named first.
  private static func clients(_ arguments: Arguments) throws -> [OpenIDClient] {
    var clients: [OpenIDClient] = []
    for value in arguments.values("streem-oidc-client") {
      let (id, redirect) = try pair(value)
      if let index = clients.firstIndex(where: { $0.id == id }) {
        clients[index].redirects.append(redirect)
      } else {
        clients.append(OpenIDClient(id: id, redirects: [redirect]))
      }
    }
    for value in arguments.values("streem-oidc-logout") {
      let (id, redirect) = try pair(value)
      guard let index = clients.firstIndex(where: { $0.id == id }) else {
        throw UsageError(value.source, value: value.text, expected: "the id of a --streem-oidc-client")
      }
      clients[index].logoutRedirects.append(redirect)
    }
    return clients
  }

  private static func pair(_ value: Arguments.Value) throws -> (id: String, redirect: String) {
    let parts = value.text.split(separator: "=", maxSplits: 1).map(String.init)
    guard parts.count == 2, OpenIDClient.isRedirect(parts[1]) else {
      throw UsageError(
        value.source, value: value.text, expected: "the client's id, = and an absolute address without a fragment")
    }
    return (parts[0], parts[1])
  }

  /// `NAME` is a user of the home company, `COMPANY~NAME` one of another.
  private static func user(_ value: Arguments.Value) throws -> OpenIDUser {
    let parts = value.text.split(separator: "=", maxSplits: 1).map(String.init)
    guard parts.count == 2 else {
      throw UsageError(value.source, value: value.text, expected: "the user's name, = and the file of the password")
    }
    let names = parts[0].split(separator: "~", maxSplits: 1).map(String.init)
    let password = try SecretFile.read(parts[1], of: value.source)
    return names.count == 2
      ? OpenIDUser(name: names[1], company: names[0], password: password)
      : OpenIDUser(name: parts[0], password: password)
  }
}
