import Foundation
import GatewayStream

/// The flags about the SFU that a join of Stream's sends clients to.
enum StreamSFUFlags {
  static let all = [
    Flag(
      "stream-sfu", "own|off|URL",
      "who answers calls behind a join: the gateway, without media (own, the default), nobody, or an SFU at URL"),
    Flag("stream-sfu-url", "URL", "where an SFU elsewhere has its remote procedures (default: URL/twirp)"),
    Flag("stream-sfu-socket", "URL", "where an SFU elsewhere has its WebSocket (default: URL/ws, as ws or wss)"),
    Flag(
      "stream-sfu-address", "URL",
      "where clients reach the gateway's own, as https://calls.example (default: as each join's Host says)"),
    Flag("stream-sfu-token-life", "DURATION", "how long the token of a join is good at the gateway's own (default 1h)"),
    Flag(
      "stream-sfu-return", "DURATION",
      "how long a participant whose socket was lost stays in the call (default 5s)"),
    Flag("stream-sfu-anonymous", nil, "let anonymous viewers in by a socket, as Stream does (default: they get none)"),
  ]

  static func read(_ arguments: Arguments, into calls: inout StreamCallPolicy) throws {
    try readPlace(arguments, into: &calls)
    let own = ["stream-sfu-address", "stream-sfu-token-life", "stream-sfu-return", "stream-sfu-anonymous"]
    guard var policy = calls.sfu else {
      if let flag = own.first(where: { arguments.value($0) != nil }) {
        throw UsageError("--\(flag) is about the gateway's own SFU, and clients are sent elsewhere")
      }
      return
    }
    if let address = arguments.value("stream-sfu-address") { policy.address = try origin(address) }
    if let life = try arguments.duration("stream-sfu-token-life") {
      guard life >= .seconds(1) else {
        throw UsageError("--stream-sfu-token-life", value: "\(life)", expected: "1s or more")
      }
      policy.tokenLife = life
    }
    policy.returnWindow = try arguments.duration("stream-sfu-return") ?? policy.returnWindow
    policy.admitsAnonymous = try arguments.isOn("stream-sfu-anonymous")
    calls.sfu = policy
  }

  /// Where clients are sent: elsewhere too if only the address of something elsewhere is named.
  private static func readPlace(_ arguments: Arguments, into calls: inout StreamCallPolicy) throws {
    let url = arguments.string("stream-sfu-url")
    let socket = arguments.string("stream-sfu-socket")
    switch arguments.value("stream-sfu") {
    case nil:
      if url != nil || socket != nil { calls.sfu = nil }
    case let value? where value.text == "own":
      guard url == nil && socket == nil else {
        throw UsageError("--stream-sfu own, and --stream-sfu-url or --stream-sfu-socket, name two places")
      }
    case let value? where value.text == "off":
      calls.sfu = nil
    case let value?:
      let address = try origin(value)
      calls.sfu = nil
      calls.sfuURL = address + "/twirp"
      calls.sfuSocket = "ws" + address.dropFirst("http".count) + "/ws"
    }
    calls.sfuURL = url ?? calls.sfuURL
    calls.sfuSocket = socket ?? calls.sfuSocket
  }

  /// An address of scheme, host and perhaps port; nothing behind them.
  private static func origin(_ value: Arguments.Value) throws -> String {
    guard let components = URLComponents(string: value.text), ["http", "https"].contains(components.scheme),
      components.host?.isEmpty == false, components.path.isEmpty, components.query == nil,
      components.fragment == nil, components.user == nil
    else {
      throw UsageError(value.source, value: value.text, expected: "an address as https://calls.example, no / last")
    }
    return value.text
  }
}
