internal import GatewayCore
internal import GatewayJSON

/// The place of the token in an answer: a member, a header field, or the whole body.
enum TokenPlace: Hashable, Sendable {
  case pointer(JSONPointer)
  case header(String)
  case text

  private static let example = "\"/access_token\", {\"header\": \"X-Token\"} or {\"text\": true}"

  init(_ described: Described) throws(DescriptionError) {
    if case .string = described.value.kind {
      let pointer = try JSONPointer(described)
      guard !pointer.description.isEmpty else {
        throw described.error("the whole answer is written {\"text\": true}; else a pointer as \"/access_token\"")
      }
      self = .pointer(pointer)
      return
    }
    guard case .object = described.value.kind else { throw described.error("expected \(Self.example)") }
    let place = try described.object(["header", "text"])
    switch (place["header"], place["text"]) {
    case (let header?, nil): self = .header(try header.text().lowercased())
    case (nil, let text?):
      guard try text.bool() else { throw text.error("false says nothing; expected \(Self.example)") }
      self = .text
    default: throw described.error("expected \(Self.example)")
    }
  }

  /// Returns the token; if there is none, a sentence about what is there instead.
  func token(in response: HTTPResponse, _ body: JSONView?) -> Result<Credentials, TokenEndpointError> {
    switch self {
    case .header(let name):
      guard let value = response.header(name) else {
        let names = response.headers.map { ReportLabel.cleaned($0.name) }.joined(separator: ", ")
        return .failure(TokenEndpointError("no field \(name), only \(names.isEmpty ? "none at all" : names)"))
      }
      return Self.checked(value, in: "the field \(name)")
    case .text:
      let text = String(decoding: response.body, as: UTF8.self)
      return Self.checked(String(text.drop(while: \.isWhitespace)), in: "the body")
    case .pointer(let pointer):
      guard let body else { return .failure(TokenEndpointError(Self.noJSON(response))) }
      guard let found = pointer.find(in: body) else {
        return .failure(TokenEndpointError(Self.missing(pointer, in: body)))
      }
      guard let text = found.string else {
        let inside = found.members.map { " with \(Self.names($0.map(\.name)))" } ?? ""
        return .failure(TokenEndpointError("at \(pointer) is no text but \(Self.noun(found))\(inside)"))
      }
      return Self.checked(text, in: pointer.description)
    }
  }

  /// Returns the text if it is one word: other texts would be split on the way to the gateway.
  private static func checked(_ text: String, in place: String) -> Result<Credentials, TokenEndpointError> {
    var token = text
    while let last = token.last, last.isWhitespace { token.removeLast() }
    guard !token.isEmpty else { return .failure(TokenEndpointError("\(place) is empty")) }
    guard token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      return .failure(TokenEndpointError("what is in \(place) is no token: it holds spaces, or what is not ASCII"))
    }
    guard token.utf8.count <= tokenMax else {
      let count = token.utf8.count
      return .failure(TokenEndpointError("what is in \(place) has \(count) bytes, and a token \(tokenMax) at most"))
    }
    return .success(Credentials(token: token))
  }

  /// In bytes.
  private static let tokenMax = 65_536

  // MARK: Missing tokens

  private static func noJSON(_ response: HTTPResponse) -> String {
    guard !response.body.isEmpty else { return "the body is empty" }
    guard response.body.count <= TokenAnswerRules.bodyMax else {
      return "the body has \(response.body.count) bytes, and \(TokenAnswerRules.bodyMax) are read at most"
    }
    if let coding = response.header("content-encoding"), Name(coding) != "identity" {
      return "the body is compressed (\(ReportLabel.cleaned(coding))), which no request asked for and nobody reads"
    }
    guard let field = response.header("content-type") else {
      return "the body is no JSON, and nothing is said of its type"
    }
    let type = field.prefix { $0 != ";" }.filter { !$0.isNewline }.prefix(60)
    return type.lowercased().contains(bytesOf: "json")
      ? "the body is said to be \(type), and is no JSON" : "the body is no JSON, but \(type)"
  }

  /// Returns an error such as `nothing at /token, only refresh, access; is it "/access"?`
  private static func missing(_ pointer: JSONPointer, in body: JSONView) -> String {
    let members = body.members ?? []
    let likely = members.first { member in
      member.value.withUTF8 { $0.starts(with: "eyJ".utf8) } == true && !member.name.contains(bytesOf: "refresh")
    }
    let inside = members.first { ($0.value.members ?? []).contains { $0.value.string?.hasPrefix("eyJ") == true } }
    let deeper = inside.flatMap { outer in
      outer.value.members?.first { $0.value.string?.hasPrefix("eyJ") == true }.map {
        JSONPointer.step(outer.name) + JSONPointer.step($0.name)
      }
    }
    let hint = (likely.map { JSONPointer.step($0.name) } ?? deeper).map { "; is it \"\($0)\"?" } ?? ""
    let there = body.isObject ? "only \(names(members.map(\.name)))" : "for the answer is \(noun(body))"
    return "nothing at \(pointer), \(there)\(hint)"
  }

  static func names(_ names: [String]) -> String {
    guard !names.isEmpty else { return "an empty object" }
    return names.prefix(8).map(ReportLabel.cleaned).joined(separator: ", ") + (names.count > 8 ? ", …" : "")
  }

  private static func noun(_ value: JSONView) -> String {
    switch value.kind {
    case .object: "an object"
    case .array: "an array"
    case .string: "a text"
    case .integer, .real: "a number"
    case .bool: "true or false"
    case .null: "null"
    }
  }
}
