internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

// The results of recordings and transcriptions: lists, and files without content.

extension StreamCallRoutes {
  var fileRoutes: [HTTPRoute] {
    files("recordings", "Recording") { $0.isRecording }
      + files("transcriptions", "Transcription") { $0 == .transcription }
      + [
        HTTPRoute("GET", "/video/files/{type}/{id}/{session}/{filename}") { request, parameters in
          await file(parameters)
        }
      ]
  }

  private func files(
    _ path: String, _ operation: String, where isMeant: @escaping @Sendable (StreamEgress.Kind) -> Bool
  ) -> [HTTPRoute] {
    resource("GET", "/\(path)", "List\(operation)s") { asked throws(StreamError) in
      try await list(path, of: nil, asked, where: isMeant)
    }
      // For JavaScript's `queryRecordings` with a session, and for older clients.
      + resource("GET", "/{session}/\(path)", "List\(operation)s") { asked throws(StreamError) in
        try await list(path, of: asked.request.parameters["session"], asked, where: isMeant)
      }
      + resource("DELETE", "/{session}/\(path)/{filename}", "Delete\(operation)") { asked throws(StreamError) in
        let call = try await calls.known(asked.id, for: asked.rights)
        // No permission exists for deleting transcriptions, so the one for recordings applies.
        try asked.rights.check(.deleteRecording, in: call)
        let (parameters, isThere) = (asked.request.parameters, { @Sendable in isMeant($0) })
        let wasThere: Bool
        do throws(GatewayError) {
          wasThere = try await calls.directory.removeFile(
            parameters["filename"], session: parameters["session"], of: asked.id, where: isThere, at: asked.now)
        } catch {
          throw StreamError(error)
        }
        guard wasThere else { throw .doesNotExist("there is no \(operation.lowercased()) of that name") }
        return StreamAnswer(200)
      }
  }

  /// Lists the files of the call, or of one of its sessions.
  private func list(
    _ name: String, of session: String?, _ asked: StreamCallRequest, where isMeant: (StreamEgress.Kind) -> Bool
  ) async throws(StreamError) -> StreamAnswer {
    let call = try await calls.known(asked.id, for: asked.rights)
    // No permission exists for listing transcriptions.
    try asked.rights.check(isMeant(.transcription) ? .readCall : .listRecordings, in: call)
    var files: [StreamCallFile]
    do throws(GatewayError) {
      files = try await calls.directory.files(of: asked.id, where: isMeant, at: asked.now)
    } catch {
      throw StreamError(error)
    }
    if let session { files.removeAll { !$0.session.utf8.elementsEqual(session.utf8) } }
    let (found, address) = (files, address(asked))
    return StreamAnswer(200) { json in
      json.name(name)
      json.beginArray()
      for file in found { file.write(of: asked.id, at: address, to: &json, asked.family) }
      json.endArray()
    }
  }

  /// Returns a file of the kind that the name says, without media. Its URL needs no token, as at Stream.
  private func file(_ parameters: PathParameters) async -> HTTPResponse {
    let (name, session) = (parameters["filename"], parameters["session"])
    let missing = HTTPResponse(status: 404, contentType: "text/plain; charset=utf-8", text: "no such file")
    guard let id = CallID(cid: "\(parameters["type"]):\(parameters["id"])") else { return missing }
    do throws(GatewayError) {
      let now = calls.services.wallTime
      if session.utf8.elementsEqual("hls".utf8) {
        guard let run = try await calls.directory.call(id, at: now)?.egress?.runs[.hls],
          name.utf8.elementsEqual("\(run.id).m3u8".utf8)
        else { return missing }
        return HTTPResponse(
          status: 200, contentType: "application/vnd.apple.mpegurl",
          text: "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:0\n")
      }
      guard let file = try await calls.directory.file(name, session: session, of: id, at: now) else { return missing }
      // An MP4 box that only names the file type.
      return file.kind.isRecording
        ? HTTPResponse(
          status: 200, contentType: "video/mp4", text: "\0\0\0\u{10}ftypisom\0\0\u{2}\0")
        : HTTPResponse(status: 200, contentType: "application/jsonl", text: "")
    } catch {
      var failure = HTTPResponse(
        status: error.httpStatus, contentType: "text/plain; charset=utf-8", text: error.message)
      if let wait = StreamError(error).retryAfter { failure.headers.append(.retryAfter(wait)) }
      return failure
    }
  }
}
