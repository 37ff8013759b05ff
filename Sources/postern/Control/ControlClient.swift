import Foundation
import GatewayCore
import GatewayKit
import GatewayRuntime
import GatewayServer

/// Asks the control port of a running gateway.
struct ControlClient {
  struct Answer {
    let status: Int
    let data: Data
    var text: String { String(decoding: data, as: UTF8.self) }
  }

  private static let patience = Duration.seconds(30)

  private let address: String
  private let target: DialTarget
  private let secret: String?

  init(url: String, secret: String?) throws {
    guard let base = URLComponents(string: url), ["http", "https"].contains(base.scheme), let host = base.host,
      !host.isEmpty
    else {
      throw UsageError("--url", value: url, expected: "the control port's address, as http://127.0.0.1:8081")
    }
    let isTLS = base.scheme == "https"
    address = base.string ?? url
    target = DialTarget(
      host: host.trimmingCharacters(in: CharacterSet(charactersIn: "[]")), port: base.port ?? (isTLS ? 443 : 80),
      isTLS: isTLS)
    self.secret = secret
  }

  func send(_ request: HTTPRequest) async throws -> Answer {
    var message = request
    if let secret { message.headers.append(HTTPField("authorization", "Bearer \(secret)")) }
    let loop = SocketLoop(index: 0)
    try loop.start()
    defer { loop.stop() }
    let result = await Task(executorPreference: loop.events) { [message, target] in
      await SocketDialer(on: loop).fetch(message, from: target, timeout: Self.patience)
    }.value
    switch result {
    case .success(let response): return Answer(status: response.status, data: Data(response.body))
    case .failure(let failure):
      throw ControlUnreachable(address: address, failure: failure, patience: Self.patience)
    }
  }
}

/// No gateway answers at the control address.
struct ControlUnreachable: Error, CustomStringConvertible {
  let address: String
  let failure: DialFailure
  /// How long the answer was waited for.
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
