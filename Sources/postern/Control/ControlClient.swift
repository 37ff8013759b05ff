import Foundation
import FoundationNetworking

/// One request of the control API.
struct ControlRequest {
  let method: String
  let path: String
  let query: [URLQueryItem]
  let body: [String: any Sendable]

  init(_ method: String, _ path: String, query: [URLQueryItem] = [], body: [String: any Sendable] = [:]) {
    self.method = method
    self.path = path
    self.query = query
    self.body = body
  }
}

/// Asks the control port of a running gateway.
struct ControlClient {
  struct Answer {
    let status: Int
    let data: Data
    var text: String { String(decoding: data, as: UTF8.self) }
  }

  private let base: URLComponents
  private let secret: String?

  init(url: String, secret: String?) throws {
    guard let base = URLComponents(string: url), ["http", "https"].contains(base.scheme), base.host != nil else {
      throw UsageError("--url", value: url, expected: "the control port's address, as http://127.0.0.1:8081")
    }
    self.base = base
    self.secret = secret
  }

  func send(_ request: ControlRequest) async throws -> Answer {
    var url = base
    url.percentEncodedPath = request.path
    url.queryItems = request.query.isEmpty ? nil : request.query
    var message = URLRequest(url: url.url!, timeoutInterval: 30)
    message.httpMethod = request.method
    if request.method == "POST" {
      message.httpBody = try JSONSerialization.data(withJSONObject: request.body)
      message.setValue("application/json", forHTTPHeaderField: "content-type")
    }
    if let secret { message.setValue("Bearer \(secret)", forHTTPHeaderField: "authorization") }
    do {
      let (data, response) = try await URLSession.shared.data(for: message)
      return Answer(status: (response as? HTTPURLResponse)?.statusCode ?? 0, data: data)
    } catch {
      throw ControlUnreachable(address: base.string ?? "")
    }
  }
}

/// No gateway answers at the control address.
struct ControlUnreachable: Error, CustomStringConvertible {
  let address: String
  var description: String { "no gateway answers at \(address); is `postern serve` running, with this control port?" }
}
