package import GatewayCore
package import GatewayJSON
internal import GatewayTokens

/// A reader of the requests with which clients ask an application's token endpoint, and of its answers.
package struct TokenWatch: Sendable {
  /// The method; nil for any.
  private let method: String?
  /// The beginnings of the paths, or the paths.
  private let paths: [Path]
  private let place: TokenPlace
  /// The places of the token's life or end in answers.
  private let ends: [TokenEndRule]

  private struct Path: Hashable {
    let text: String
    let isPrefix: Bool
  }

  /// A token in an answer, without the token.
  package struct Sight: Hashable, Sendable {
    package let token: String
    /// The user that the token names; nil for none.
    package let user: UserID?
    /// The end that the token states.
    package let end: WallTime?
  }

  /// The largest answer that is read.
  package static let bodyMax = TokenAnswerRules.bodyMax
  private static let nameMax = 256

  /// Creates the reader of an endpoint with that path, whose answers have the token at a pointer, and its life at
  /// `/expires_in` (RFC 6749 section 5.1) if anywhere.
  package init(method: String?, path: String, tokenAt pointer: JSONPointer) {
    self.method = method
    paths = [Path(text: path, isPrefix: false)]
    place = .pointer(pointer)
    ends = JSONPointer("/expires_in").map { [.seconds($0)] } ?? []
  }

  /// Creates the reader of a described endpoint, whose requests have one method.
  package init(_ description: TokenDescription) {
    let calls = [description.request] + [description.renew].compactMap(\.self)
    let methods = Set(calls.map { Name($0.method) })
    method = methods.count == 1 ? calls[0].method : nil
    paths = calls.flatMap(\.addresses).map { address in
      let literal = address.target.beginning
      let path = literal.text.prefix { $0 != "?" }
      return Path(text: String(path), isPrefix: !literal.isAll && path.utf8.count == literal.text.utf8.count)
    }
    place = description.answer.token
    ends = description.answer.ends
  }

  /// Returns whether the request asks for a token.
  package func isAsked(by request: HTTPRequest) -> Bool {
    guard method.map({ Name($0) == Name(request.method) }) ?? true else { return false }
    return paths.contains { path in
      path.isPrefix ? request.path.utf8.starts(with: path.text.utf8) : Name(path.text) == Name(request.path)
    }
  }

  // MARK: Users

  /// The members, parameters and fields of requests that name a user.
  private static let userNames = ["user_id", "user", "userId", "uid", "sub", "username", "client_id"]

  /// Returns the user that a request names, in its query, its form or its JSON; nil for none.
  package func user(in request: HTTPRequest) -> UserID? {
    let type = request.header("content-type") ?? ""
    var parameters = request.query
    var body: JSONView?
    if type.utf8.starts(with: "application/x-www-form-urlencoded".utf8), request.body.count <= JSONDocument.sizeMax {
      parameters += QueryString.parameters(of: Substring(String(decoding: request.body, as: UTF8.self))) ?? []
    } else {
      body = (try? JSONDocument.parse(request.body))?.root
    }
    for name in Self.userNames {
      let parameter = parameters.first { Name($0.name) == Name(name) }?.value
      guard let text = parameter ?? body?[member: name]?.scalarText, !text.isEmpty else { continue }
      return UserID(String(text.prefix(Self.nameMax)))
    }
    return nil
  }

  /// The fields by which an application knows its callers.
  private static let credentialFields = ["authorization", "cookie"]

  /// Returns the fingerprint of what the caller shows; nil if it shows nothing.
  package func caller(of request: HTTPRequest) -> TokenFingerprint? {
    let shown = Self.credentialFields.compactMap { request.header($0) }
    return shown.isEmpty ? nil : TokenFingerprint(of: shown.joined(separator: "\n"))
  }

  // MARK: Answers

  /// Returns the token in an answer; nil for none.
  package func sight(in answer: HTTPResponse) -> Sight? {
    guard (200..<300).contains(answer.status),
      case .success(let token) = place.token(in: answer, TokenAnswerRules.body(of: answer))
    else { return nil }
    let payload = try? UnverifiedToken(token.token).payload
    let name = payload.flatMap { payload in
      ["sub", "user_id"].lazy.compactMap { payload[member: $0]?.string }.first { !$0.isEmpty }
    }
    let end = payload?[member: "exp"]?.number.flatMap { (0...1e11).contains($0) ? WallTime(seconds: $0) : nil }
    return Sight(token: token.token, user: name.map { UserID(String($0.prefix(Self.nameMax))) }, end: end)
  }

  /// Puts another token into an answer.
  package func put(_ token: String, into answer: inout HTTPResponse) {
    switch place {
    case .header(let name):
      for index in answer.headers.indices where answer.headers[index].name == name {
        answer.headers[index].value = token
      }
    case .text: answer.body = Array(token.utf8)
    case .pointer(let pointer):
      var json = JSONWriter()
      json.string(token)
      answer.body = pointer.replacing(in: answer.body, sizeMax: Self.bodyMax) { _ in json.text } ?? answer.body
    }
    answer.contentLength = nil
  }

  /// Whether answers tell the life of a token where it can be changed.
  package var tellsLives: Bool { ends.contains { $0.place != nil } }

  /// Has an answer tell another life of its token.
  package func tell(_ life: Duration, in answer: inout HTTPResponse, at now: WallTime) {
    for rule in ends {
      guard let (pointer, number) = rule.told(life, at: now) else { continue }
      let body = pointer.replacing(in: answer.body, sizeMax: Self.bodyMax) {
        $0.string == nil ? number : "\"\(number)\""
      }
      answer.body = body ?? answer.body
    }
    answer.contentLength = nil
  }
}

extension TokenEndRule {
  /// The place of the life or the end in an answer; nil for none that can be changed.
  fileprivate var place: JSONPointer? {
    switch self {
    case .seconds(let pointer), .unixSeconds(let pointer), .unixMilliseconds(let pointer), .rfc3339(let pointer):
      pointer
    case .jwt, .fixed: nil
    }
  }

  /// Returns the place, and the number or the text there, that tell this life.
  fileprivate func told(_ life: Duration, at now: WallTime) -> (JSONPointer, String)? {
    guard let place else { return nil }
    let end = now + life
    switch self {
    case .seconds: return (place, "\(max(1, Int64(life.inSeconds.rounded(.up))))")
    case .unixSeconds: return (place, "\((end.nanoseconds + 999_999_999) / 1_000_000_000)")
    case .unixMilliseconds: return (place, "\(end.nanoseconds / 1_000_000)")
    case .rfc3339: return (place, end.rfc3339(fractionDigits: 3))
    case .jwt, .fixed: return nil
    }
  }
}

extension Template {
  /// The text before the first hole, and whether it is everything.
  fileprivate var beginning: (text: String, isAll: Bool) {
    guard case .bytes(let bytes)? = pieces.first else { return ("", pieces.isEmpty) }
    return (String(decoding: bytes, as: UTF8.self), pieces.count == 1)
  }
}
