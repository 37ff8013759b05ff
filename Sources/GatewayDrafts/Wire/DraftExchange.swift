internal import GatewayCore
internal import GatewayJSON

// A request and its answer, as a draft reads them.

extension Recording.Exchange {
  /// The body of a request or an answer.
  enum Content {
    case none
    case json(JSONTree)
    case form([Recording.Pair])
    case text(String)
  }

  private static let sizeMax = 1 << 17
  private static let depthMax = 16

  /// The body of the request.
  var content: Content {
    guard let body, !body.isEmpty else { return .none }
    if let tree = Self.tree(body) { return .json(tree) }
    if header("content-type")?.contains(bytesOf: "x-www-form-urlencoded") == true,
      let fields = QueryString.parameters(of: body[...])
    {
      return .form(
        fields.map {
          Recording.Pair(name: DraftText.withoutHoles($0.name), value: DraftText.withoutHoles($0.value))
        })
    }
    return .text(DraftText.withoutHoles(body))
  }

  /// The answer's body as JSON; nil for any other.
  var answerTree: JSONTree? { answer.flatMap(Self.tree) }

  private static func tree(_ text: String) -> JSONTree? {
    guard let document = try? JSONDocument.parse(Array(text.utf8), sizeMax: sizeMax, depthMax: depthMax),
      document.root.isObject || document.root.elements != nil
    else { return nil }
    return JSONTree(document.root)
  }

  /// The segments of the path.
  var segments: [String] { path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) } }

  /// The texts of the request, by their places, e.g. `query key` and `body /session`.
  var texts: [(place: String, text: String)] {
    let fields =
      query.map { ("query \($0.name)", $0.value) } + headers.map { ("header \($0.name)", $0.value) }
      + segments.enumerated().map { ("path \($0)", $1) }
    switch content {
    case .none: return fields
    case .json(let tree): return fields + tree.scalars.map { ("body \($0.pointer)", $0.text) }
    case .form(let pairs): return fields + pairs.map { ("body \($0.name)", $0.value) }
    case .text(let text): return fields + [("body", text)]
    }
  }

  /// When the request was sent. A recording has the time of the answer, a HAR file that of the request.
  func start(isHAR: Bool) -> Int64 { isHAR ? at : at - min(max(0, took ?? 0), max(0, at)) }
}

extension JSONTree {
  /// The strings and the numbers in it, with their pointers.
  var scalars: [(pointer: String, text: String)] {
    var scalars: [(String, String)] = []
    _ = mapped { pointer, value in
      if let text = value.scalar { scalars.append((pointer, text)) }
      return value
    }
    return scalars
  }

  /// Returns the pointer of the first string in it that is a token, other than `known`, and the token's name.
  func token(among tokens: Set<String>, besides known: Set<String> = []) -> (name: String, pointer: String)? {
    var found: (String, String)?
    _ = mapped { pointer, value in
      if found == nil, case .string(let text) = value, tokens.contains(text), !known.contains(text) {
        found = (text, pointer)
      }
      return value
    }
    return found.map { (name: $0.0, pointer: $0.1) }
  }
}
