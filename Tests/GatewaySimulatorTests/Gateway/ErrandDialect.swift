import GatewayCore
import GatewayKit
import GatewayPlain
import GatewayRuntime
import Synchronization

/// The plain dialect with slow commands: `do NAME MILLISECONDS`, `pass NAME MILLISECONDS` for one that may overlap, and
/// `out` to log out.
struct ErrandDialect: CallDialect {
  private let plain = PlainDialect()

  let name = "errands"

  func accepts(_ upgrade: HTTPRequest) -> Bool { plain.accepts(upgrade) }

  func owns(path: String) -> Bool { plain.owns(path: path) }

  func credentials(in upgrade: HTTPRequest) throws(GatewayError) -> Credentials? { try plain.credentials(in: upgrade) }

  func encode(_ message: OutboundMessage, _ context: DialectContext) -> Frame? { plain.encode(message, context) }

  func encode(_ event: CallEvent) -> Frame? { plain.encode(event) }

  func answer(to command: CallCommand, request: RequestID?) -> Frame? { plain.answer(to: command, request: request) }

  func response(for error: GatewayError) -> HTTPResponse { plain.response(for: error) }

  func decode(
    _ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, _ context: DialectContext
  ) throws(GatewayError) -> InboundMessage? {
    let words = String(decoding: payload, as: UTF8.self).split(separator: " ").map(String.init)
    switch words.first {
    case "do", "pass":
      let errand = Errand(name: words[1], milliseconds: Int(words[2]) ?? 0)
      return .command(Command("errand", errand, mayOverlap: words[0] == "pass"), request: RequestID(words[1]))
    case "out":
      return .logout(request: nil)
    default:
      return try plain.decode(payload, kind, context)
    }
  }
}

struct Errand: Hashable {
  let name: String
  let milliseconds: Int
}

/// A handler that performs the slow commands, and records them.
final class ErrandRunner: CommandHandler, ConnectionObserver {
  private let lines = Mutex<[String]>([])

  var diary: [String] { lines.withLock { $0 } }

  func performAtOnce(
    _ command: Command, by caller: Caller, at speaker: any Speaker, request: RequestID?,
    on services: any GatewayServices
  ) -> Bool {
    CallCommands(ErrandDialect(), on: EventLoop.current!).performAtOnce(
      command, by: caller, at: speaker, request: request, on: services)
  }

  nonisolated(nonsending) func perform(
    _ command: Command, by caller: Caller, request: RequestID?, on services: any GatewayServices
  ) async -> [Frame] {
    guard let errand = command.baggage.unpacked(Errand.self) else { return [] }
    note("\(caller.user.rawValue) begins \(errand.name)")
    if errand.milliseconds > 0 { await services.sleep(for: .milliseconds(errand.milliseconds), as: "an errand") }
    note("\(caller.user.rawValue) ends \(errand.name)")
    return [Frame(text: "done \(errand.name)")]
  }

  nonisolated(nonsending) func connectionEnded(
    _ caller: Caller, _ ending: ConnectionEnding, on services: any GatewayServices
  ) async {
    await services.sleep(for: .milliseconds(1), as: "an errand")
    note("\(caller.user.rawValue) is gone")
  }

  private func note(_ line: String) {
    lines.withLock { $0.append(line) }
  }
}
