internal import GatewayCore
internal import GatewayJSON

/// JSON answers and bodies of the control API.
enum ControlAnswer {
  static func json(_ value: some Encodable, status: Int = 200, layout: JSONCoder.Layout = .sorted) -> HTTPResponse {
    guard let body = try? JSONCoder(layout: layout).encode(value) else { return HTTPResponse(status: 500) }
    return HTTPResponse(status: status, headers: [HTTPField("content-type", "application/json")], body: body)
  }

  static func error(_ error: GatewayError) -> HTTPResponse {
    var answer = json(ControlProblem(error), status: error.httpStatus)
    if error.httpStatus == 503 { answer.headers.append(HTTPField("retry-after", "5")) }
    return answer
  }

  /// Returns the order in the request's body; an empty body is an empty object. Refuses unknown and repeated members by
  /// name, since a misspelt order would mean something else.
  static func order<Order: ControlOrder>(_ request: HTTPRequest) throws(GatewayError) -> Order {
    let bytes = request.body.isEmpty ? Array("{}".utf8) : request.body
    let members: [(name: String, value: JSONView)]?
    do throws(JSONError) {
      members = try JSONDocument.parse(bytes, sizeMax: Order.bodyBytesMax).root.members
    } catch {
      throw .malformedRequest.detailed("expected a JSON object \(Order.form); it is \(error)")
    }
    guard let members else { throw .malformedRequest.detailed("expected a JSON object \(Order.form)") }
    try refuseStrangers(among: members.map(\.name), known: Order.CodingKeys.allCases.map(\.stringValue), "member")
    // A decoder takes null for a missing member, and an order without the member would mean something else.
    if let empty = members.first(where: \.value.isNull) {
      throw .invalidParameter.detailed("\(empty.name) is null; leave it out, or say it")
    }
    do {
      return try JSONCoder().decode(Order.self, from: bytes)
    } catch {
      throw .malformedRequest.detailed("expected a JSON object \(Order.form)")
    }
  }

  /// Throws for a name that is not in `known`.
  static func refuseStrangers(among names: [String], known: [String], _ kind: String) throws(GatewayError) {
    let known = known.map { Name($0) }
    guard let stranger = names.first(where: { !known.contains(Name($0)) }) else { return }
    let choice = known.isEmpty ? "there is none" : "there is \(known.map(\.text).joined(separator: ", "))"
    throw .invalidParameter.detailed("no \(kind) is called '\(stranger.prefix(nameLengthMax))'; \(choice)")
  }

  /// The maximum length of a client's name that is repeated in an error.
  private static let nameLengthMax = 64
}
