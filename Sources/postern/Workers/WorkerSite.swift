import GatewayCore
import GatewayJSON
import GatewayProcess
import GatewayRuntime

/// The HTTP interface of a worker. Each request but `GET /health` needs the secret, and none may come from a web page of
/// another origin.
///
/// - `GET /health` answers 200 while the worker lives.
/// - `GET /worker` answers ``WorkerStatus``.
/// - `POST /parts` begins the part of a ``WorkerOrder``, and answers with its lines (``StormMessage``) until it has ended.
/// - `DELETE /parts/STORM` ends the parts of that storm early.
struct WorkerSite: Site {
  let parts: WorkerParts
  private let secret: [UInt8]
  private let pages = PageGuard(hosts: nil)

  private static let wrongSecret = WorkerRefusal(
    401, "the worker has another secret; --worker-secret-file is the file of its --secret-file")

  init(_ parts: WorkerParts, secret: String) {
    self.parts = parts
    self.secret = Array(secret.utf8)
  }

  func admit(_ upgrade: HTTPRequest, on loop: EventLoop) -> Admission {
    .refuse(Self.answer(WorkerRefusal(404, "a worker has no sockets")))
  }

  /// An order may be large, but not from strangers.
  func uploadBytesMax(for request: HTTPRequest) -> Int? {
    request.method == "POST" && request.path == "/parts" && isOfStorm(request) ? WorkerOrder.bytesMax : nil
  }

  func refusal(of error: GatewayError, for request: HTTPRequest) -> HTTPResponse {
    Self.answer(isOfStorm(request) ? WorkerRefusal(error.httpStatus, error.message) : Self.wrongSecret)
  }

  func respond(to request: HTTPRequest, on loop: EventLoop) async -> HTTPResponse {
    do throws(WorkerRefusal) {
      return try answer(request)
    } catch {
      return Self.answer(error)
    }
  }

  private func isOfStorm(_ request: HTTPRequest) -> Bool {
    request.bearerToken.map { ConstantTime.areEqual(secret, Array($0.utf8)) } ?? false
  }

  private func answer(_ request: HTTPRequest) throws(WorkerRefusal) -> HTTPResponse {
    if let refusal = pages.refusal(of: request) { throw WorkerRefusal(refusal.httpStatus, refusal.message) }
    if request.path == "/health" {
      try Self.check(request, has: ["GET", "HEAD"])
      return HTTPResponse(status: 200, contentType: "text/plain; charset=utf-8", text: "ok\n")
    }
    guard isOfStorm(request) else { throw Self.wrongSecret }
    let segments = request.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    switch (segments.first, segments.count) {
    case ("worker", 1):
      try Self.check(request, has: ["GET"])
      return Self.json(
        WorkerStatus(
          version: GatewayDescription.currentVersion, nanoseconds: SystemTime.now.nanoseconds, parts: parts.count,
          partsMax: parts.partsMax))
    case ("parts", 1):
      try Self.check(request, has: ["POST"])
      return HTTPResponse(
        stream: try begin(request).body,
        headers: [HTTPField("content-type", "application/x-ndjson"), HTTPField("cache-control", "no-store")])
    case ("parts", 2):
      try Self.check(request, has: ["DELETE"])
      guard parts.end(String(segments.last ?? "")) else {
        throw WorkerRefusal(404, "the worker carries out no part of that storm")
      }
      return HTTPResponse(status: 204)
    default: throw WorkerRefusal(404, "a worker has /health, /worker and /parts")
    }
  }

  private static func check(_ request: HTTPRequest, has methods: [String]) throws(WorkerRefusal) {
    guard methods.contains(request.method) else {
      throw WorkerRefusal(405, "\(request.path) has \(methods.joined(separator: " and "))")
    }
  }

  private func begin(_ request: HTTPRequest) throws(WorkerRefusal) -> WorkerPart {
    // A page may send a form or plain text to any origin without a preflight (Fetch standard, section 2.2.2).
    guard request.header("content-type")?.utf8.elementsEqual("application/json".utf8) == true else {
      throw WorkerRefusal(415, "an order has the Content-Type application/json")
    }
    guard let order = try? JSONCoder().decode(WorkerOrder.self, from: request.body) else {
      throw WorkerRefusal(400, "the order is none of postern \(GatewayDescription.currentVersion)")
    }
    return try parts.begin(order)
  }

  private static func json(_ value: some Encodable, status: Int = 200) -> HTTPResponse {
    guard let body = try? JSONCoder().encode(value) else { return HTTPResponse(status: 500) }
    return HTTPResponse(
      status: status,
      headers: [HTTPField("content-type", "application/json"), HTTPField("cache-control", "no-store")], body: body)
  }

  private static func answer(_ refusal: WorkerRefusal) -> HTTPResponse {
    var response = json(WorkerRefusal.Body(refusal), status: refusal.status)
    if refusal.status == 401 {
      response.headers.append(HTTPField("www-authenticate", "Bearer realm=\"postern worker\""))
    }
    return response
  }
}

extension WorkerRefusal {
  /// The body of an answer that refuses: `{"error":{"message":"…"}}`.
  struct Body: Codable {
    struct Content: Codable {
      let message: String
    }
    let error: Content

    init(_ refusal: WorkerRefusal) {
      error = Content(message: refusal.message)
    }
  }

  /// Reads an answer that is no 200.
  init(_ response: HTTPResponse) {
    // A worker has all that a storm asks for. A gateway has not, and words its errors alike.
    let message =
      response.status == 404 ? nil : (try? JSONCoder().decode(Body.self, from: response.body))?.error.message
    self.init(
      response.status,
      message.map { String($0.prefix(500)) } ?? "no postern worker answers there (HTTP \(response.status))")
  }
}
