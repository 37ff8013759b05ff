internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

// The metadata of a channel: texts by name. Members of a group channel, operators of an open one, and servers may
// change them.

extension SendbirdChannelRoutes {
  func metadataRoutes(_ kind: SendbirdChannel.Kind) -> [HTTPRoute] {
    let all = Self.path(kind) + "/{channel_url}/metadata"
    let one = all + "/{key}"
    return [
      resource.route("POST", all) { request throws(SendbirdError) in
        let new = try Self.texts(request)
        return try await change(kind, request, isFor: new.keys) { metadata, isThere in
          isThere = !Set(new.keys).isDisjoint(with: metadata.keys)
          if !isThere { metadata.merge(new) { $1 } }
        }
      },
      resource.route("GET", all) { request throws(SendbirdError) in
        let keys = request.texts("keys")
        let metadata = try await visible(kind, request).properties.metadata
        return try answer(metadata.filter { keys?.contains($0.key) ?? true }, request)
      },
      resource.route("PUT", all) { request throws(SendbirdError) in
        let new = try Self.texts(request)
        let upserts = try request.body.bool("upsert") ?? false
        return try await change(kind, request, isFor: new.keys) { metadata, _ in
          for (key, value) in new where upserts || metadata[key] != nil { metadata[key] = value }
        }
      },
      resource.route("DELETE", all) { request throws(SendbirdError) in
        try await change(kind, request, isFor: []) { metadata, _ in metadata = [:] }
      },
      resource.route("GET", one) { request throws(SendbirdError) in
        let key = Name(request.path["key"])
        guard let value = try await visible(kind, request).properties.metadata[key] else { throw .notFound("Metadata") }
        return try answer([key: value], request)
      },
      resource.route("PUT", one) { request throws(SendbirdError) in
        let (key, body) = (Name(request.path["key"]), try request.body)
        guard let value = try body.string("value", max: SendbirdLimits.metadataValue) else { throw .missing("value") }
        let upserts = try body.bool("upsert") ?? false
        return try await change(kind, request, isFor: [key]) { metadata, _ in
          if upserts || metadata[key] != nil { metadata[key] = value }
        }
      },
      resource.route("DELETE", one) { request throws(SendbirdError) in
        let key = Name(request.path["key"])
        return try await change(kind, request, isFor: []) { metadata, _ in metadata[key] = nil }
      },
    ]
  }

  private static func texts(_ request: SendbirdRequest) throws(SendbirdError) -> [Name: String] {
    guard let metadata = try request.body.texts("metadata") else { throw .missing("metadata") }
    return metadata
  }

  /// Changes the metadata.
  ///
  /// - Parameter change: Changes the metadata, and returns whether a name exists that must not.
  private func change(
    _ kind: SendbirdChannel.Kind, _ request: SendbirdRequest, isFor keys: some Sequence<Name>,
    _ change: (inout [Name: String], _ isThere: inout Bool) -> Void
  ) async throws(SendbirdError) -> HTTPResponse {
    let channel = try await changeable(kind, request)
    try Self.check(keys)
    var (before, isThere, isTooMuch) = ([Name: String](), false, false)
    let changed = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.update(
        channel.url, at: services.wallTime,
        telling: { channel in
          await tell(.metadataChanged, of: channel, before, channel.properties.metadata) { json, texts in
            json.member("created", texts: texts.created)
            json.member("updated", texts: texts.updated)
          }
        }
      ) { properties in
        (before, isThere) = (properties.metadata, false)
        change(&properties.metadata, &isThere)
        isTooMuch = properties.metadata.count > max(SendbirdLimits.metadataCount, before.count)
        if isTooMuch { properties.metadata = before }
      }
    }
    if isThere { throw .alreadyExists("Metadata") }
    if isTooMuch { throw .tooMany("metadata") }
    return try answer(changed.properties.metadata, request)
  }

  static func check(_ keys: some Sequence<Name>) throws(SendbirdError) {
    for key in keys where key.text.unicodeScalars.count > SendbirdLimits.metadataKey {
      throw .tooLong("key", max: SendbirdLimits.metadataKey)
    }
  }

  /// Returns the metadata alone; with the time if the query asks for it.
  private func answer(_ metadata: [Name: String], _ request: SendbirdRequest) throws(SendbirdError) -> HTTPResponse {
    let includesTime = try request.flag("include_ts") ?? (try? request.body.bool("include_ts")) ?? false
    let now = services.wallTime
    return SendbirdResource.answer { json in
      if includesTime {
        json.member("metadata", texts: metadata)
        json.member("ts", now.milliseconds)
      } else {
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
          json.name(key.text)
          json.string(value)
        }
      }
    }
  }

  /// Announces the changed metadata to the users in the channel, if anything has changed.
  func tell<Value: Equatable>(
    _ category: SendbirdChannelEvents.Category, of channel: SendbirdChannel, _ before: [Name: Value],
    _ after: [Name: Value], _ write: (inout JSONWriter, SendbirdNoteChange<Value>) -> Void
  ) async {
    let change = SendbirdNoteChange(from: before, to: after)
    guard !change.isEmpty else { return }
    await events.event(category, in: channel, on: services) { json in
      write(&json, change)
      json.member("deleted", strings: change.deleted.map(\.text))
    }
  }
}

/// The result of a change of a channel's metadata or counters.
struct SendbirdNoteChange<Value: Equatable> {
  let created: [Name: Value]
  let updated: [Name: Value]
  let deleted: [Name]

  init(from before: [Name: Value], to after: [Name: Value]) {
    created = after.filter { before[$0.key] == nil }
    updated = after.filter { entry in before[entry.key].map { $0 != entry.value } ?? false }
    deleted = before.keys.filter { after[$0] == nil }.sorted()
  }

  var isEmpty: Bool { created.isEmpty && updated.isEmpty && deleted.isEmpty }
}
