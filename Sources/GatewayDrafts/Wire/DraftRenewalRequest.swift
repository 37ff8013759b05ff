internal import GatewayCore

/// The request over HTTP that renews an open connection, as a description has it.
struct DraftRenewalRequest {
  /// The text of the answer to the login by which the request names its connection, with its pointer; nil for none.
  let name: (pointer: String, text: String)?
  private let first: DraftRequest
  private let others: [Recording.Exchange]
  private let recording: Recording
  private let before: DraftBefore?
  private let holes: DraftHoles
  private let user: String?

  /// How many more requests show which values are other ones each time.
  private static let othersMax = 16
  /// The largest example of an answer, in bytes.
  private static let exampleMax = 8_192
  private static let day: Int64 = 86_400_000

  init?(_ recording: Recording, _ main: DraftStory, _ before: DraftBefore?, _ holes: DraftHoles) {
    guard let first = main.requests.first else { return nil }
    (self.first, self.recording, self.before, self.holes) = (first, recording, before, holes)
    others = main.requests.dropFirst().prefix(Self.othersMax).map(\.exchange)
    user = recording.tokens[first.token]?.user
    let texts = Set(first.exchange.texts.map(\.text))
    let user = user
    name = main.names.first { name in
      texts.contains(name.text) && before?.hole(for: name.text) == nil && name.text != user
    }
  }

  var members: String {
    let exchange = first.exchange
    let path = exchange.path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    let target = path.map { holed(String(Substring($0)), at: nil) }.joined(separator: "/")
    var parts = ["\"method\": \(JSONTree.quoted(exchange.method))", "\"path\": \(JSONTree.quoted(target))"]
    let query = exchange.query.map { pair in (pair.name, holed(pair.value, at: "query \(pair.name)")) }
    if !query.isEmpty { parts.append("\"query\": \(Self.object(query))") }
    let fields = exchange.headers.compactMap { pair -> (String, String)? in
      let value = holed(pair.value, at: nil)
      return ["{{token}}", "{{taken."].contains { value.contains(bytesOf: $0) } ? (pair.name, value) : nil
    }
    if !fields.isEmpty { parts.append("\"headers\": \(Self.object(fields))") }
    if let body = exchange.method.utf8.elementsEqual("GET".utf8) ? nil : body { parts.append(body) }
    parts += answer
    return parts.joined(separator: ", ")
  }

  private static func object(_ pairs: [(String, String)]) -> String {
    "{ \(pairs.map { "\(JSONTree.quoted($0)): \(JSONTree.quoted($1))" }.joined(separator: ", ")) }"
  }

  // MARK: Values

  /// Returns a text of the request with holes. If it is another one in another request, and no hole says why, it is random.
  private func holed(_ text: String, at place: String?) -> String {
    if let hole = before?.hole(for: text) { return hole }
    if let name, name.text.utf8.elementsEqual(text.utf8) { return "{{taken.connection}}" }
    let holed = holes.address(text)
    guard let place, holed.utf8.elementsEqual(text.utf8), varies(text, at: place) else { return holed }
    return "{{random}}"
  }

  /// Whether another request has something else at that place.
  private func varies(_ text: String, at place: String) -> Bool {
    others.contains { other in
      other.texts.first { $0.place.utf8.elementsEqual(place.utf8) }.map { !$0.text.utf8.elementsEqual(text.utf8) }
        == true
    }
  }

  /// Returns a number of the request: the time, a number that is another one each time, or itself.
  private func number(_ text: String, at place: String) -> JSONTree {
    if let number = Recording.time(Double(text)), let now = recording.began.map({ $0 + first.start }) {
      if abs(number.clampedProduct(1_000) - now) < Self.day { return .string("{{now:number}}") }
      if abs(number - now) < Self.day { return .string("{{now_ms:number}}") }
    }
    return varies(text, at: place) ? .string("{{id:number}}") : .number(text)
  }

  private var body: String? {
    switch first.exchange.content {
    case .none: return nil
    case .json(let tree):
      let filled = tree.mapped { pointer, value in
        switch value {
        case .string(let text): .string(holed(text, at: "body \(pointer)"))
        case .number(let text): number(text, at: "body \(pointer)")
        case .object, .array, .word: value
        }
      }
      return "\"json\": \(filled.text)"
    case .form(let pairs):
      return "\"form\": \(Self.object(pairs.map { ($0.name, holed($0.value, at: "body \($0.name)")) }))"
    case .text(let text): return "\"text\": \(JSONTree.quoted(holed(text, at: "body")))"
    }
  }

  // MARK: The answer

  /// The members `take` and `as`.
  private var answer: [String] {
    let exchange = first.exchange
    guard let tree = exchange.answerTree else { return [] }
    let token = first.isBrought ? tree.scalars.first { $0.text.utf8.elementsEqual(first.token.utf8) }?.pointer : nil
    let life = DraftHoles.life(
      in: tree, besides: [], of: recording.tokens[first.token], at: recording.began.map { $0 + exchange.at })
    let taken = [token.map { ("token", $0) }, life.map { ($0.name, $0.pointer) }].compactMap { $0 }
    var parts = taken.isEmpty ? [] : ["\"take\": \(Self.object(taken))"]
    let example = tree.mapped { pointer, value in
      if pointer == token { return .string("{{token}}") }
      if let life, life.pointer == pointer { return life.hole.map { .string($0) } ?? value }
      if case .string(let text) = value { return .string(holes.address(text)) }
      return value
    }
    if example.text.utf8.count <= Self.exampleMax { parts.append("\"as\": { \"json\": \(example.text) }") }
    return parts
  }
}
