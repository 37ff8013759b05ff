internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// The routes of files: a caller with a key uploads them, anyone with the URL downloads them.
struct SendbirdStorageRoutes: Sendable {
  private let storage: SendbirdStorage
  private let services: any GatewayServices
  private let resource: SendbirdResource

  init(
    gate: SendbirdGate, services: any GatewayServices, storage: SendbirdStorage, rates: SendbirdRates? = nil
  ) {
    self.storage = storage
    self.services = services
    resource = SendbirdResource(gate: gate, services: services, rates: rates)
  }

  var routes: [HTTPRoute] {
    let open = RouteGroup<PathParameters, SendbirdError>(words: { $0.response })
    return [
      resource.route("POST", SendbirdStorage.path) { request throws(SendbirdError) in try await upload(request) },
      open.route("GET", SendbirdStorage.path + "/{id}/{name}") { parameters throws(SendbirdError) in
        try await download(parameters["id"])
      },
    ]
  }

  private func upload(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    try request.needsWriter()
    guard let kept = try await storage.keep("file", of: request, at: services.wallTime) else { throw .missing("file") }
    return SendbirdResource.answer { json in
      json.member("url", kept.url)
      json.member("file_size", Int64(kept.file.bytes.count))
      json.member("require_auth", false)
      json.member("thumbnails", objects: kept.thumbnails) { $0.writeMembers(to: &$1) }
    }
  }

  /// Returns a file with headers that keep browsers from running it, whatever its type.
  private func download(_ id: String) async throws(SendbirdError) -> HTTPResponse {
    let found: SendbirdFile?
    do throws(GatewayError) {
      found = try await storage.files.file(id, at: services.wallTime)
    } catch {
      throw SendbirdError(error)
    }
    guard let file = found else { throw .notFound("File") }
    return HTTPResponse(
      status: 200,
      headers: [
        HTTPField("content-type", file.type.isEmpty ? "application/octet-stream" : file.type),
        HTTPField("content-security-policy", "default-src 'none'; sandbox"),
        HTTPField("x-content-type-options", "nosniff"),
        // The content of a URL never changes.
        HTTPField("cache-control", "private, max-age=3600, immutable"),
      ],
      body: file.bytes)
  }
}
