import GatewayCore
import GatewayRuntime
import GatewaySimulator
import TestSupport

/// A player of transcripts of a Sendbird client against the whole gateway in virtual time, which records the messages
/// on the wire.
///
/// Lines with actions of others than the gateway: `? /?query | field: value` opens a socket, `> COMMAND{…}` is a
/// client's message, `= POST /path | field: value | body` is an HTTP request, `~` loses the connection, `+ 10s` lets
/// time pass, `! token ann 600s` issues a session token and `! revoke ann` revokes the user's. `$T` is the latest
/// token, `$K` the latest session key. Answers are `< ` with a received message and `x ` with the code and name of a
/// close frame.
struct SendbirdTranscript {
  private let sendbird: SimulatedSendbird
  private var peer: SimulatedPeer?
  private var heard = 0
  private var token = ""
  private var key = ""
  /// The messages so far, in the transcript's notation.
  private(set) var said: [String] = []

  init() throws {
    sendbird = try SimulatedSendbird()
  }

  /// Plays one line that the gateway does not cause.
  mutating func play(_ line: String) {
    said.append(line)
    let text = line.dropFirst(2).replacing("$T", with: token).replacing("$K", with: key)
    switch line.first {
    case "?":
      let parts = text.split(separator: " | ").map(String.init)
      peer = sendbird.connect(upgrade(parts[0], parts.dropFirst()))
      heard = 0
    case ">": sendbird.say(String(text), peer!)
    case "=": ask(String(text))
    case "+": sendbird.world.advance(by: .seconds(Int(text.dropLast())!))
    case "~": peer?.abort()
    case "!": order(text.split(separator: " ").map(String.init))
    default: preconditionFailure("no such line: \(line)")
    }
    sendbird.world.settle()
    listen()
  }

  private func upgrade(_ target: String, _ fields: ArraySlice<String>) -> HTTPRequest {
    let query = target.dropFirst("/?".count).split(separator: "&").map { parameter in
      let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return HTTPField(
        PercentEncoding.decode(parts[0])!, parts.count == 2 ? PercentEncoding.decode(parts[1])! : "")
    }
    return HTTPRequest(method: "GET", path: "/", query: query, headers: fields.map(Self.field))
  }

  private static func field(_ text: String) -> HTTPField {
    let parts = text.split(separator: ": ", maxSplits: 1, omittingEmptySubsequences: false)
    return HTTPField(parts[0].lowercased(), parts.count == 2 ? String(parts[1]) : "")
  }

  private mutating func ask(_ text: String) {
    let parts = text.split(separator: " | ").map(String.init)
    let words = parts[0].split(separator: " ").map(String.init)
    let body = parts.last!.hasPrefix("{") ? parts.last! : ""
    let fields = parts.dropFirst().filter { !$0.hasPrefix("{") }.map(Self.field)
    let headers = Dictionary(fields.map { ($0.name, $0.value) }) { $1 }
    let answer = sendbird.fetch(words[0], words[1], headers, body: body)
    said.append("< \(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
    key = answer.member("key") ?? key
  }

  private mutating func order(_ words: [String]) {
    switch words[0] {
    case "token": token = sendbird.sessionToken(words[1], life: .seconds(Int(words[2].dropLast())!))
    case "revoke": sendbird.revokeSessionTokens(of: words[1])
    default: preconditionFailure("no such order: \(words)")
    }
  }

  private mutating func listen() {
    guard let peer else { return }
    for command in peer.commands.dropFirst(heard) { said.append("< \(command)") }
    if peer.commands.count > heard && !peer.sessionKey.isEmpty { key = peer.sessionKey }
    heard = peer.commands.count
    guard let ending = peer.ending, ending.code != nil || !ending.name.isEmpty else { return }
    said.append("x \(ending.code ?? 1006) \(ending.name)")
    self.peer = nil
  }
}
