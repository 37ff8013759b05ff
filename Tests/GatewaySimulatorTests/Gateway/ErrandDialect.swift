import GatewayCore
import GatewayPlain
import Synchronization

/// The plain dialect with commands that take their time: `do NAME MILLISECONDS`, `pass NAME MILLISECONDS` for one that may
/// overlap, and `out` to log out.
struct ErrandDialect: Dialect {
  private let plain = PlainDialect()

  let name = "errands"

  func accepts(_ upgrade: HTTPRequest) -> Bool { plain.accepts(upgrade) }

  func owns(path: String) -> Bool { plain.owns(path: path) }

  func credentials(in upgrade: HTTPRequest) throws(GatewayError) -> Credentials? { try plain.credentials(in: upgrade) }

  func encode(_ message: OutboundMessage, _ context: DialectContext) -> Frame? { plain.encode(message, context) }

  func response(for error: GatewayError) -> HTTPResponse { plain.response(for: error) }

  func decode(
    _ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, _ context: DialectContext
  ) throws(GatewayError) -> InboundMessage? {
    let words = String(decoding: payload, as: UTF8.self).split(separator: " ").map(String.init)
    switch words.first {
    case "do", "pass":
      let errand = DialectOperation(name: words[1], body: words[2], mayOverlap: words[0] == "pass")
      return .operation(.other(errand), request: RequestID(words[1]))
    case "out":
      return .logout(request: nil)
    default:
      return try plain.decode(payload, kind, context)
    }
  }
}

/// Runs the errands, and keeps a diary of them.
final class ErrandRunner: OperationHandler, ConnectionObserver {
  private let lines = Mutex<[String]>([])

  var diary: [String] { lines.withLock { $0 } }

  nonisolated(nonsending) func perform(
    _ operation: DialectOperation, by caller: Caller, request: RequestID?, on services: any GatewayServices
  ) async -> [Frame] {
    note("\(caller.user.rawValue) begins \(operation.name)")
    if let milliseconds = Int(operation.body), milliseconds > 0 {
      await services.sleep(for: .milliseconds(milliseconds))
    }
    note("\(caller.user.rawValue) ends \(operation.name)")
    return [Frame(text: "done \(operation.name)")]
  }

  nonisolated(nonsending) func connectionEnded(
    _ caller: Caller, _ ending: ConnectionEnding, on services: any GatewayServices
  ) async {
    await services.sleep(for: .milliseconds(1))
    note("\(caller.user.rawValue) is gone")
  }

  private func note(_ line: String) {
    lines.withLock { $0.append(line) }
  }
}
