internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit
internal import GatewayTokens

// Exports of users' data.

extension StreamUserRoutes {
  var exports: [HTTPRoute] {
    rest.resource("GET", .common("users/{user_id}/export"), "ExportUser", .server) { request throws(StreamError) in
      let id = UserID(request.parameters["user_id"])
      guard let user = await rest.seen(try await rest.users([id])).first else {
        throw .doesNotExist("user with id \(id) does not exist")
      }
      return StreamAnswer(200) { json in
        json.member("user", user, request.family)
        // Channels are not stored, so there are no messages.
        json.member("messages", strings: [])
        json.member("reactions", strings: [])
      }
    }
      + rest.resource("POST", .common("export/users"), "ExportUsers", .server) { request throws(StreamError) in
        let ids = try Self.ids(request)
        let users = await rest.seen(try await rest.users(ids))
        if let missing = ids.first(where: { id in !users.contains { $0.id == id } }) {
          throw .doesNotExist("user with id \(missing) does not exist")
        }
        let text = JSONWriter.object(capacity: 1024) { json in
          json.name("users")
          json.beginArray()
          for user in users { json.value(user, request.family) }
          json.endArray()
        }
        // The name gives access to the file.
        let name = AccessToken.mint(from: rest.secrets).token
        let export = StreamExport(text: String(decoding: text, as: UTF8.self), madeAt: request.receivedAt)
        do throws(GatewayError) {
          try await rest.directory.keep(export, as: name, at: request.receivedAt)
        } catch {
          throw StreamError(error)
        }
        return StreamAnswer(201) { $0.member("task_id", StreamTask.id(export: name)) }
      }
      // The URL needs no token, as at Stream.
      + [
        HTTPRoute("GET", "/video/exports/{name}") { _, parameters in
          do throws(GatewayError) {
            let now = rest.services.wallTime
            if let export = try await rest.directory.export(parameters["name"], at: now) {
              return HTTPResponse(status: 200, json: Array(export.text.utf8))
            }
            return StreamError.doesNotExist("there is no export of that name").response()
          } catch {
            return StreamError(error).response()
          }
        }
      ]
  }

  /// Returns the URL at which the export is fetched; nil if there is none.
  func address(of export: String, _ request: StreamRequest) async throws(StreamError) -> (text: String, at: WallTime)? {
    do throws(GatewayError) {
      guard let kept = try await rest.directory.export(export, at: request.receivedAt) else { return nil }
      let policy = rest.settings.calls.sfu
      let host = request.http.host.map { "http\(policy?.isSecure == true ? "s" : "")://\($0)" }
      return ("\(policy?.address ?? host ?? "http://localhost")/video/exports/\(export)", kept.madeAt)
    } catch {
      throw StreamError(error)
    }
  }
}
