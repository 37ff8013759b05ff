internal import FoundationEssentials
internal import GatewayCore

/// Answers and questions of the control API in JSON.
enum ControlAnswer {
  static func json(_ value: some Encodable, status: Int = 200) -> HTTPResponse {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let body = try? encoder.encode(value) else { return HTTPResponse(status: 500) }
    return HTTPResponse(status: status, headers: [HTTPField("content-type", "application/json")], body: Array(body))
  }

  static func error(_ error: GatewayError) -> HTTPResponse {
    struct Body: Encodable {
      struct Content: Encodable {
        let number: Int
        let name: String
        let message: String
      }
      let error: Content
    }
    return json(
      Body(error: .init(number: error.number, name: error.name, message: error.message)), status: error.httpStatus)
  }

  /// The request's body as a value; an empty body is an empty object.
  static func body<Body: Decodable>(_ request: HTTPRequest, _ expected: String) throws(GatewayError) -> Body {
    do {
      return try JSONDecoder().decode(Body.self, from: Data(request.body.isEmpty ? Array("{}".utf8) : request.body))
    } catch {
      throw .malformedRequest.detailed("expected a JSON object \(expected)")
    }
  }
}
