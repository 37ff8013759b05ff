internal import GatewayCore

/// The body of a described request, e.g. `"json": { "user": "{{user}}" }`.
enum RequestBody: Sendable {
  case none
  case json(Template)
  case text(Template)
  case form([(name: String, value: Template)])

  static let kinds = ["json", "form", "text"]

  init(_ call: DescribedObject, _ described: Described, _ names: HoleNames) throws(DescriptionError) {
    let given = Self.kinds.filter { call[$0] != nil }
    guard given.count <= 1 else {
      throw described.error("\(given.map { "\"\($0)\"" }.joined(separator: " and ")) are given; remove one")
    }
    if let json = call["json"] {
      self = .json(try Template(json: json, names))
    } else if let text = call["text"] {
      self = .text(try Template(text, names))
    } else if let form = call["form"] {
      self = .form(
        try form.members().map { (member) throws(DescriptionError) in
          (PercentEncoding.encode(member.name), try Template(form: member.value, names))
        })
    } else {
      self = .none
    }
  }

  var templates: [Template] {
    switch self {
    case .none: []
    case .json(let template), .text(let template): [template]
    case .form(let members): members.map(\.value)
    }
  }

  /// Returns the bytes with their default media type.
  func written(from source: some HoleSource) throws(HoleError) -> (type: String?, bytes: [UInt8]) {
    var bytes: [UInt8] = []
    switch self {
    case .none: return (nil, [])
    case .json(let template):
      try template.write(to: &bytes, from: source)
      return ("application/json", bytes)
    case .text(let template):
      try template.write(to: &bytes, from: source)
      return ("text/plain; charset=utf-8", bytes)
    case .form(let members):
      for (index, member) in members.enumerated() {
        bytes += Array("\(index > 0 ? "&" : "")\(member.name)=".utf8)
        try member.value.write(to: &bytes, from: source)
      }
      return ("application/x-www-form-urlencoded", bytes)
    }
  }
}

/// The header fields of a described request, e.g. `"X-User": "{{user}}"`.
enum HeaderFields {
  /// The fields that the program itself writes.
  private static let own = [
    "content-length", "connection", "transfer-encoding", "host", "user-agent", "postern-storm",
  ]

  static func read(
    _ described: Described?, _ names: HoleNames
  ) throws(DescriptionError) -> [(name: String, value: Template)] {
    try described?.members().map { (member) throws(DescriptionError) in
      guard !member.name.utf8.isEmpty, member.name.utf8.allSatisfy(isToken) else {
        throw member.value.error("'\(member.name)' is no name of a header field")
      }
      guard !own.contains(member.name.lowercased()) else {
        throw member.value.error("postern writes this field itself; leave it out")
      }
      return (member.name.lowercased(), try Template(member.value, names))
    } ?? []
  }

  private static func isToken(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte < 0x7F && !"\"(),/:;<=>?@[\\]{}".utf8.contains(byte)
  }
}
