internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

// The metadata of a user: strings by name.

extension SendbirdUserRoutes {
  func metadataRoutes(_ resource: SendbirdResource) -> [HTTPRoute] {
    let all = "/v3/users/{user_id}/metadata"
    let one = all + "/{key}"
    return [
      resource.route("POST", all) { request throws(SendbirdError) in try await createMetadata(request) },
      resource.route("GET", all) { request throws(SendbirdError) in try await getMetadata(request) },
      resource.route("PUT", all) { request throws(SendbirdError) in try await updateMetadata(request) },
      resource.route("DELETE", all) { request throws(SendbirdError) in try await deleteMetadata(request) },
      resource.route("GET", one) { request throws(SendbirdError) in try await getMetadatum(request) },
      resource.route("PUT", one) { request throws(SendbirdError) in try await updateMetadatum(request) },
      resource.route("DELETE", one) { request throws(SendbirdError) in try await deleteMetadatum(request) },
    ]
  }

  /// Adds names; existing ones are an error.
  private func createMetadata(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    let new = try needed(request)
    let known = try await known(request.userInPath)
    guard Set(new.keys).isDisjoint(with: known.metadata.keys) else { throw .alreadyExists("Metadata") }
    return try await change(request) { metadata in metadata.merge(new) { $1 } }
  }

  /// Changes existing names, or adds them too if the body contains `upsert`.
  private func updateMetadata(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    let new = try needed(request)
    let upserts = try request.body.bool("upsert") ?? false
    return try await change(request) { metadata in
      for (key, value) in new where upserts || metadata[key] != nil { metadata[key] = value }
    }
  }

  private func getMetadata(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    try request.needs(request.userInPath)
    let metadata = try await known(request.userInPath).metadata
    return SendbirdResource.answer { $0.member("metadata", texts: metadata) }
  }

  private func deleteMetadata(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    _ = try await change(request) { $0 = [:] }
    return SendbirdResource.answer()
  }

  private func getMetadatum(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    try request.needs(request.userInPath)
    let key = Name(request.path["key"])
    guard let value = try await known(request.userInPath).metadata[key] else { throw .notFound("Metadata") }
    return Self.answer([key: value])
  }

  private func updateMetadatum(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    let key = Name(request.path["key"])
    let body = try request.body
    guard let value = try body.string("value", max: SendbirdLimits.metadataValue) else { throw .missing("value") }
    let upserts = try body.bool("upsert") ?? false
    let before = try await known(request.userInPath).metadata
    guard upserts || before[key] != nil else { throw .notFound("Metadata") }
    guard key.text.unicodeScalars.count <= SendbirdLimits.metadataKey else {
      throw .tooLong("key", max: SendbirdLimits.metadataKey)
    }
    return try await change(request) { $0[key] = value }
  }

  private func deleteMetadatum(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    let key = Name(request.path["key"])
    _ = try await change(request) { $0[key] = nil }
    return SendbirdResource.answer()
  }

  // MARK: Shared parts

  private func needed(_ request: SendbirdRequest) throws(SendbirdError) -> [Name: String] {
    guard let metadata = try request.body.texts("metadata") else { throw .missing("metadata") }
    return metadata
  }

  private func change(
    _ request: SendbirdRequest, _ change: @escaping @Sendable (inout [Name: String]) -> Void
  ) async throws(SendbirdError) -> HTTPResponse {
    try request.needs(request.userInPath)
    try request.needsWriter()
    let before = try await known(request.userInPath).metadata
    var after = before
    change(&after)
    guard after.count <= max(SendbirdLimits.metadataCount, before.count) else { throw .tooMany("metadata") }
    let user = try await updated(request.userInPath) { change(&$0.metadata) }
    return Self.answer(user.metadata)
  }

  /// Returns the metadata alone, as the vendor answers a change.
  private static func answer(_ metadata: [Name: String]) -> HTTPResponse {
    SendbirdResource.answer { json in
      for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
        json.name(key.text)
        json.string(value)
      }
    }
  }
}
