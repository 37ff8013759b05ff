internal import GatewayCore
internal import GatewayRuntime

/// The resource that records a journal as long as a client reads it.
struct RecordingRoute {
  let gateway: any Controllable

  var route: HTTPRoute {
    HTTPRoute("GET", "/recording") { _, _ in
      do throws(GatewayError) {
        guard let journal = gateway.journal else { throw JournalRoutes.noJournal }
        let recording = try RecordingStream(of: journal, on: gateway.controlLoop)
        return HTTPResponse(
          stream: recording.stream, headers: [HTTPField("content-type", "application/jsonl; charset=utf-8")])
      } catch {
        return ControlAnswer.error(error)
      }
    }
  }
}
