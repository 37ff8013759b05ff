internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

// Stored records, with Stream's errors.

extension StreamSetupRoutes {
  func records(_ kind: StreamRecord.Kind, at now: WallTime) async throws(StreamError) -> [StreamRecord] {
    try await ask { () async throws(GatewayError) in try await setup.records(kind, at: now) }
  }

  func record(
    _ kind: StreamRecord.Kind, _ id: [String], at now: WallTime
  ) async throws(StreamError) -> StreamRecord? {
    try await ask { () async throws(GatewayError) in try await setup.record(kind, id, at: now) }
  }

  func changeRecord(
    _ kind: StreamRecord.Kind, _ id: [String], at now: WallTime,
    _ change: (StreamRecord?) throws(GatewayError) -> StreamRecord
  ) async throws(StreamError) -> StreamRecord {
    try await ask { () async throws(GatewayError) in try await setup.changeRecord(kind, id, at: now, change) }
  }

  /// Removes the record; throws `missing` if there is none.
  func removeRecord(
    _ kind: StreamRecord.Kind, _ id: [String], at now: WallTime, _ missing: StreamError
  ) async throws(StreamError) {
    let wasThere = try await ask { () async throws(GatewayError) in
      try await setup.removeRecord(kind, id, at: now)
    }
    guard wasThere else { throw missing }
  }
}

extension StreamRecord {
  /// The first part of its id.
  var name: String { id.first ?? "" }

  /// Returns texts as properties.
  static func texts(_ texts: [String: String]) -> StreamCustom {
    texts.reduce(into: [:]) { members, text in
      var json = JSONWriter()
      json.string(text.value)
      members[Name(text.key)] = json.text
    }
  }

  /// Returns the property with that name if it is a text; else an empty text.
  func text(_ name: String) -> String { value(name)?.string ?? "" }

  /// Returns the texts in the array property with that name.
  func texts(_ name: String) -> [String] { value(name)?.elements?.compactMap(\.string) ?? [] }

  private func value(_ name: String) -> JSONView? {
    // The value is parsed as an array element because a document must be an object or array.
    members[Name(name)].flatMap { try? JSONDocument.parse("[\($0)]", sizeMax: 1 << 20).root.elements?.first }
  }

  /// Writes all properties in the order of their names.
  func writeKept(to json: inout JSONWriter) {
    for (name, value) in members.sorted(by: { $0.key < $1.key }) {
      json.name(name.text)
      json.raw(value)
    }
  }
}
