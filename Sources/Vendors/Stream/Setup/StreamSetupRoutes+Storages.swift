internal import GatewayCore
internal import GatewayJSON

// External storages, to which recordings would be uploaded. Their keys are not stored, and nothing is uploaded.

extension StreamSetupRoutes {
  private static let storageTypes = ["s3", "gcs", "abs"]

  var storageRoutes: [HTTPRoute] {
    rest.resource("GET", .common("external_storage"), "ListExternalStorage", .server) { request throws(StreamError) in
      let storages = try await records(.storage, at: request.receivedAt)
      return StreamAnswer(200) { json in
        json.member("external_storages") { json in
          for storage in storages {
            json.name(storage.name)
            json.beginObject()
            storage.writeMembers(to: &json)
            json.endObject()
          }
        }
      }
    }
      + rest.resource("POST", .common("external_storage"), "CreateExternalStorage", .server) {
        request throws(StreamError) in
        let name = try request.body.requiredString("name", max: 128)
        guard name.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") }) else {
          throw request.body.wrong("name", "a name without white space and \"/\"")
        }
        let members = try Self.storage(request.body)
        _ = try await changeRecord(.storage, [name], at: request.receivedAt) { (known) throws(GatewayError) in
          guard known == nil else {
            throw StreamError.input("external storage \"\(name)\" exists already", field: "name").gatewayError
          }
          return StreamRecord([name], createdAt: request.receivedAt, members: members)
        }
        return StreamAnswer(201)
      }
      + rest.resource("PUT", .common("external_storage/{name}"), "UpdateExternalStorage", .server) {
        request throws(StreamError) in
        let name = request.parameters["name"]
        let members = try Self.storage(request.body)
        let changed = try await changeRecord(.storage, [name], at: request.receivedAt) { (known) throws(GatewayError) in
          guard var known else { throw Self.noStorage(name).gatewayError }
          known.members = members
          return known
        }
        return StreamAnswer(200) { changed.writeMembers(to: &$0) }
      }
      + rest.resource("DELETE", .common("external_storage/{name}"), "DeleteExternalStorage", .server) {
        request throws(StreamError) in
        let name = request.parameters["name"]
        try await removeRecord(.storage, [name], at: request.receivedAt, Self.noStorage(name))
        return StreamAnswer(200)
      }
      + rest.resource("GET", .common("external_storage/{name}/check"), "CheckExternalStorage", .server) {
        request throws(StreamError) in
        let name = request.parameters["name"]
        guard let storage = try await record(.storage, [name], at: request.receivedAt) else {
          throw Self.noStorage(name)
        }
        // Stream names the test file that it uploaded; here nothing is uploaded.
        return StreamAnswer(200) { json in
          json.member("file_url", "https://\(storage.text("bucket")).invalid/\(storage.text("path"))stream-test-file")
        }
      }
  }

  private static func noStorage(_ name: String) -> StreamError {
    .doesNotExist("external storage \"\(name)\" does not exist")
  }

  private static func storage(_ body: StreamBody) throws(StreamError) -> StreamCustom {
    let type = try body.requiredString("storage_type", max: 32)
    guard storageTypes.contains(type) else {
      throw body.wrong("storage_type", "one of \(storageTypes.joined(separator: ", "))")
    }
    for name in ["aws_s3", "azure_blob"] { _ = try body.object(name) }
    return StreamRecord.texts([
      "bucket": try body.requiredString("bucket", max: 255), "path": try body.string("path", max: 1024) ?? "",
      "type": type,
    ])
  }
}

extension StreamRecord {
  /// Writes the members of the object `ExternalStorageResponse`.
  fileprivate func writeMembers(to json: inout JSONWriter) {
    json.member("name", name)
    writeKept(to: &json)
  }
}
