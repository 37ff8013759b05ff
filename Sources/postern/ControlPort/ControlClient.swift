import GatewayControl
import GatewayCore
import GatewayJSON
import GatewayKit
import GatewayRuntime
import GatewayServer

/// A client of the control port of a running gateway.
struct ControlClient {
  /// An answer of the control port.
  struct Answer {
    let status: Int
    let data: [UInt8]
    var text: String { String(decoding: data, as: UTF8.self) }

    /// The gateway's error message.
    var complaint: String {
      guard let problem = try? JSONCoder().decode(ControlProblem.self, from: data) else {
        return "the gateway answered \(status): \(text)"
      }
      return "\(problem.error.number) \(problem.error.name): \(problem.error.message)"
    }
  }

  private static let patience = Duration.seconds(30)
  private static let patienceOfAdvance = Duration.seconds(86_400)

  private let address: String
  private let target: DialTarget
  private let secret: String?

  init(url: String, secret: String?) throws {
    guard let base = WebAddress(url), ["http", "https"].contains(base.scheme) else {
      throw UsageError("--url", value: url, expected: "the control port's address, as http://127.0.0.1:8081")
    }
    let isTLS = base.scheme == "https"
    address = url
    target = DialTarget(
      host: base.host, port: base.port ?? (isTLS ? 443 : 80), isTLS: isTLS)
    self.secret = secret
  }

  func send(_ request: HTTPRequest) async throws -> Answer {
    let loop = SocketLoop(index: 0)
    try loop.start()
    defer { loop.stop() }
    return try await Task(executorPreference: loop.events) { try await send(request, by: SocketDialer(on: loop)) }.value
  }

  /// Sends a request whose answer is a stream, on the loop of the dialer. Call it from a task on that loop.
  nonisolated(nonsending) func open(_ request: HTTPRequest, by dialer: SocketDialer) async throws -> HTTPResponse {
    var message = request
    if let secret { message.headers.append(HTTPField("authorization", "Bearer \(secret)")) }
    switch await dialer.forward(message, to: target) {
    case .success(let response): return response
    case .failure(let failure): throw ControlUnreachable(address: address, failure: failure, patience: Self.patience)
    }
  }

  /// Sends the request on the loop of the dialer. Call it from a task on that loop.
  ///
  /// An advance takes as long as clients take to answer, and longer on a slow machine, so it has no timeout.
  func send(_ request: HTTPRequest, by dialer: SocketDialer) async throws -> Answer {
    let patience = request.path.hasSuffix("/clock/advance") ? Self.patienceOfAdvance : Self.patience
    var message = request
    if let secret { message.headers.append(HTTPField("authorization", "Bearer \(secret)")) }
    switch await dialer.fetch(message, from: target, timeout: patience) {
    case .success(let response): return Answer(status: response.status, data: response.body)
    case .failure(let failure):
      throw ControlUnreachable(address: address, failure: failure, patience: patience)
    }
  }
}

/// An error for a control address at which no gateway answers.
struct ControlUnreachable: Error, CustomStringConvertible {
  let address: String
  let failure: DialFailure
  /// The time that the client waited for the answer.
  let patience: Duration

  var description: String {
    switch failure {
    case .insecure(let reason): "no gateway answers at \(address): \(reason)"
    case .timedOut: "no gateway answers at \(address) within \(patience.components.seconds) s"
    case .unreachable(let reason):
      "no gateway answers at \(address) (\(reason)); is `postern serve` running, with this control port?"
    case .refused(let status): "no gateway answers at \(address): HTTP \(status)"
    }
  }
}
