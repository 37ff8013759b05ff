internal import GatewayCore
internal import GatewayJSON

/// The body of an order, whose members are the cases of its keys: one that is none of them is refused by name, for
/// instance.
protocol ControlBody: Decodable {
  associatedtype CodingKeys: CodingKey, CaseIterable
}

/// Answers and questions of the control API in JSON: a body that is no object is answered with 400, for instance.
enum ControlAnswer {
  static func json(_ value: some Encodable, status: Int = 200) -> HTTPResponse {
    guard let body = try? JSONCoder(layout: .sorted).encode(value) else { return HTTPResponse(status: 500) }
    return HTTPResponse(status: status, headers: [HTTPField("content-type", "application/json")], body: body)
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
    var answer = json(
      Body(error: .init(number: error.number, name: error.name, message: error.message)), status: error.httpStatus)
    if error.httpStatus == 503 { answer.headers.append(HTTPField("retry-after", "5")) }
    return answer
  }

  /// The request's body as a value; an empty body is an empty object. A member that it does not have is refused by name,
  /// and one that is there twice too: an order whose members are misspelt, or say two things, would be another order.
  static func body<Body: ControlBody>(_ request: HTTPRequest, _ expected: String) throws(GatewayError) -> Body {
    let bytes = request.body.isEmpty ? Array("{}".utf8) : request.body
    let members: [(name: String, value: JSONView)]?
    do throws(JSONError) {
      members = try JSONDocument.parse(bytes).root.members
    } catch {
      throw .malformedRequest.detailed("expected a JSON object \(expected); it is \(error)")
    }
    guard let members else { throw .malformedRequest.detailed("expected a JSON object \(expected)") }
    try refuseStrangers(among: members.map(\.name), known: Body.CodingKeys.allCases.map(\.stringValue), "member")
    // A decoder takes null for a member that is missing, and an order without it is another order.
    if let empty = members.first(where: \.value.isNull) {
      throw .invalidParameter.detailed("\(empty.name) is null; leave it out, or say it")
    }
    do {
      return try JSONCoder().decode(Body.self, from: bytes)
    } catch {
      throw .malformedRequest.detailed("expected a JSON object \(expected)")
    }
  }

  /// Refuses what is none of `known`, by name.
  static func refuseStrangers(among names: [String], known: [String], _ kind: String) throws(GatewayError) {
    let known = known.map { Name($0) }
    guard let stranger = names.first(where: { !known.contains(Name($0)) }) else { return }
    let choice = known.isEmpty ? "there is none" : "there is \(known.map(\.text).joined(separator: ", "))"
    throw .invalidParameter.detailed("no \(kind) is called '\(stranger.prefix(nameLengthMax))'; \(choice)")
  }

  /// No longer part of a peer's name is repeated.
  private static let nameLengthMax = 64
}
