internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

// The meta arrays of a sent message, changed by its sender and by servers.

extension SendbirdChannelRoutes {
  func metaArrayRoutes(_ kind: SendbirdChannel.Kind) -> [HTTPRoute] {
    let path = Self.path(kind) + "/{channel_url}/messages/{message_id}/sorted_metaarray"
    return [
      resource.route("POST", path) { request throws(SendbirdError) in
        let new = try Self.arrays(request)
        return try await change(kind, request) { arrays in
          for array in new where !arrays.contains(where: { $0.key == array.key }) { arrays.append(array) }
        }
      },
      resource.route("PUT", path) { request throws(SendbirdError) in
        let (new, body) = (try Self.arrays(request), try request.body)
        let upserts = try body.bool("upsert") ?? false
        let mode = try body.string("mode", max: SendbirdLimits.customType)
        let removes = mode?.utf8.elementsEqual("remove".utf8) == true
        guard mode == nil || removes || mode?.utf8.elementsEqual("add".utf8) == true else { throw .invalid("mode") }
        return try await change(kind, request) { arrays in
          for array in new {
            if let place = arrays.firstIndex(where: { $0.key == array.key }) {
              arrays[place].values.removeAll { value in array.values.contains { $0.utf8.elementsEqual(value.utf8) } }
              if !removes { arrays[place].values += array.values }
            } else if upserts && !removes {
              arrays.append(array)
            }
          }
        }
      },
      resource.route("DELETE", path) { request throws(SendbirdError) in
        guard let keys = request.texts("keys") else { throw .missing("keys") }
        return try await change(kind, request) { arrays in arrays.removeAll { keys.contains($0.key) } }
      },
    ]
  }

  private static func arrays(_ request: SendbirdRequest) throws(SendbirdError) -> [SendbirdMessage.MetaArray] {
    guard let arrays = try request.body.metaArrays("sorted_metaarray") else { throw .missing("sorted_metaarray") }
    return arrays
  }

  private func change(
    _ kind: SendbirdChannel.Kind, _ request: SendbirdRequest, _ change: (inout [SendbirdMessage.MetaArray]) -> Void
  ) async throws(SendbirdError) -> HTTPResponse {
    try request.needsWriter()
    let (channel, id, now) = (try await known(kind, request), try messageID(request), services.wallTime)
    var isTooMuch = false
    let delivery = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.edit(
        id, in: channel.url, by: request.actor(nil), at: now,
        telling: { await events.changed(Self.changeCommand($0.message.kind), $0, except: nil, on: services) }
      ) { message in
        let before = message.metaArrays
        change(&message.metaArrays)
        let size = message.metaArrays.reduce(0) { sum, array in
          array.values.reduce(sum + array.key.text.utf8.count) { $0 + $1.utf8.count }
        }
        isTooMuch = message.metaArrays.count > SendbirdLimits.metaArrays || size > SendbirdLimits.metaArray
        if isTooMuch { message.metaArrays = before } else { message.touchedAt = now }
      }
    }
    if isTooMuch { throw .tooMany("sorted_metaarray") }
    return SendbirdResource.answer { json in
      json.member("sorted_metaarray", objects: delivery.message.metaArrays) { array, json in
        json.member("key", array.key.text)
        json.member("value", strings: array.values)
      }
    }
  }
}
