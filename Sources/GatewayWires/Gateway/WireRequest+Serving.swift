internal import GatewayCore
internal import GatewayJSON

// A client's HTTP request, the gateway's side.

/// The values for the answer to a request, which belongs to no message of a connection.
private struct AnswerHoles: HoleSource {
  let name: String
  let now: WallTime
  let token: String?
  let user: String?
  /// The remaining life of the token; nil for no end.
  let life: Duration?

  func value(of hole: Hole) -> String? {
    switch hole {
    case .connection, .random: name
    case .nowSeconds: "\(now.nanoseconds / Self.second)"
    case .nowMilliseconds: "\(now.nanoseconds / Self.millisecond)"
    case .token: token
    case .user: user
    // 0 means no end.
    case .lifeSeconds: "\((life ?? .zero).nanoseconds / Self.second)"
    case .endSeconds: "\(life.map { (now + $0).nanoseconds / Self.second } ?? 0)"
    case .endMilliseconds: "\(life.map { (now + $0).nanoseconds / Self.millisecond } ?? 0)"
    default: nil
    }
  }

  func value(told meaning: WireRule.Meaning) -> String? {
    switch meaning {
    case .lifeSeconds: value(of: Hole.lifeSeconds)
    case .lifeMilliseconds: "\((life ?? .zero).nanoseconds / Self.millisecond)"
    case .endSeconds: value(of: Hole.endSeconds)
    case .endMilliseconds: value(of: Hole.endMilliseconds)
    case .waitMilliseconds, .retrySeconds, .retryMilliseconds, .nextURL: nil
    }
  }

  private static let second: Int64 = 1_000_000_000
  private static let millisecond: Int64 = 1_000_000
}

extension WireRequest {
  /// Returns a gateway's accepting answer: the example, or an object with a value for everything that is taken.
  ///
  /// - Parameters:
  ///   - name: The value for what is taken, and for `{{connection}}`.
  ///   - token: The new token; nil for none.
  ///   - user: The user of the token; nil before a login.
  ///   - life: The remaining life of the token; nil for no end.
  func answer(
    naming name: String, token: String? = nil, user: String? = nil, life: Duration? = nil, at now: WallTime
  ) -> [UInt8] {
    let source = AnswerHoles(name: name, now: now, token: token, user: user, life: life)
    var bytes: [UInt8] = []
    if !example.pieces.isEmpty, (try? example.write(to: &bytes, from: source)) != nil { return bytes }
    return JSONWriter.object { json in
      for value in taking {
        switch value.place {
        case .slot: value.pointer.write(name, to: &json)
        case .token: value.pointer.write(token ?? "", to: &json)
        case .meaning(let meaning): value.pointer.write(source.value(told: meaning) ?? "0", to: &json)
        }
      }
    }
  }

  /// The path, if it has no holes.
  var servedPath: String? { path.literal.map { String(decoding: $0, as: UTF8.self) } }

  /// Returns the values of the holes in a client's request.
  func bindings(of request: HTTPRequest) -> Bindings {
    var bindings = Bindings()
    ServedWire.read(query, request.query, &bindings)
    ServedWire.read(headers, request.headers, &bindings)
    switch body {
    case .none: break
    case .json: if let found = pattern?.match(WireText(request.body)) { bindings.add(found) }
    case .text(let template): _ = template.matches(request.body[...], &bindings)
    case .form(let members):
      guard let text = String(validating: request.body, as: UTF8.self),
        let fields = QueryString.parameters(of: text[...])
      else { break }
      // The templates are percent-encoded, as the client sends them.
      let encoded = fields.map { HTTPField(PercentEncoding.encode($0.name), PercentEncoding.encode($0.value)) }
      ServedWire.read(members, encoded, &bindings)
    }
    return bindings
  }

  /// Returns whether the request is this one, by method and path.
  func isMade(by request: HTTPRequest) -> Bool {
    var bindings = Bindings()
    return request.method == method && path.matches(Array(request.path.utf8)[...], &bindings)
  }

  /// The slots of the values by which the request names its connection.
  var namingSlots: Set<Int> {
    Set(templates.flatMap(\.holes).compactMap { if case .taken(let slot) = $0 { slot } else { nil } })
  }
}
