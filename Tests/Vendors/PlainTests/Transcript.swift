import Foundation
import GatewayCore
import GatewayKit
import TestSupport

@testable import GatewayPlain

/// A player of transcripts against the dialect and the session machine, which records the messages on the wire.
struct Transcript {
  private let dialect = PlainDialect()
  private var session = Transcript.freshSession()
  private var now = Instant.zero
  /// The messages so far, in the transcript's notation.
  private(set) var said: [String] = []

  /// Returns the lines of a fixture without its comments.
  static func lines(_ name: String) throws -> [String] {
    let url = Bundle.module.url(forResource: "Fixtures/plain/\(name)", withExtension: "txt")
    guard let url else { throw CocoaError(.fileNoSuchFile) }
    return try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map(String.init).filter {
      !$0.hasPrefix("#")
    }
  }

  private static func freshSession() -> Session {
    Session(id: ConnectionID(loop: 0, serial: 1), policy: SharedSessionPolicy(try! SessionPolicy()), now: .zero)
  }

  /// Plays one line that the gateway does not cause.
  mutating func play(_ line: String) throws {
    said.append(line)
    let text = String(line.dropFirst(2))
    switch line.prefix(2) {
    case "> ":
      do throws(GatewayError) {
        handle(.received(try decode(text)))
      } catch {
        handle(.malformed(error))
      }
    case "+ ":
      now = now + .seconds(Int(text.dropLast())!)
      handle(.wakeUp)
    case "! ":
      handle(order(text))
    default:
      precondition(line == "===", "no such line: \(line)")
      session = Self.freshSession()
      now = .zero
    }
  }

  private func order(_ text: String) -> SessionEvent {
    switch text.split(separator: " ") {
    case ["refresh"]: .askForRefresh
    case ["revoke"]: .revoked
    case ["expire"]: .expireNow
    case let words where words.first == "drain": .drain(until: now + .seconds(Int(words[1].dropLast())!))
    default: preconditionFailure("no such order: \(text)")
    }
  }

  private func decode(_ text: String) throws(GatewayError) -> InboundMessage {
    let message = try Array(text.utf8).span.bytes.withUnsafeBytes { (bytes) throws(GatewayError) in
      try dialect.decode(bytes, .text)
    }
    guard let message else { preconditionFailure("the plain dialect passes over nothing") }
    return message
  }

  private mutating func handle(_ event: SessionEvent) {
    var effects: [SessionEffect] = []
    session.handle(event, at: now, into: &effects)
    for effect in effects { perform(effect) }
  }

  private mutating func perform(_ effect: SessionEffect) {
    switch effect {
    case .send(let message):
      if let frame = dialect.encode(message) { said.append("< \(frame.text)") }
    case .verify(let attempt, let credentials):
      let wallNow = WallTime(nanoseconds: now.nanoseconds)
      let verdict = FakeTokens().verdict(credentials, at: wallNow)
      let acceptance = verdict.map { Acceptance($0, now: now, wallNow: wallNow, spreadShare: 0) }
      handle(.verified(attempt: attempt, acceptance))
    case .perform(let command, _, let request):
      let order = command.baggage.unpacked(CallCommand.self)
      if let frame = order.flatMap({ dialect.answer(to: $0, request: request) }) { said.append("< \(frame.text)") }
    case .close(let reason):
      said.append("x \(reason.code) \(reason.name)")
    case .logOut, .record, .abort:
      break
    }
  }
}
