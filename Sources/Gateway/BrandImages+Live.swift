internal import EventLoop
internal import Identity
internal import Postgres
internal import Storage

extension BrandImages {
    /// Keeps the bytes of up to 32 images (at most 2 MiB) for ten minutes, because every page shows a logo. An ID
    /// stands for the same bytes forever.
    static func cached(on pool: Pool, clock: WallClock) -> BrandImages {
        let store = BrandImageStore(pool: pool, clock: clock)
        let contents = Cache<CachedImage, [UInt8]?>(lifetime: .seconds(600), capacity: 32) {
            try await store.content(of: $0.id, in: $0.project)
        }
        return BrandImages(
            store: { try await store.store($0, of: $1, by: $2) }, images: { try await store.images($0, of: $1) },
            content: { try await contents.value(for: CachedImage(id: $0, project: $1)) })
    }
}

private struct CachedImage: Hashable {
    let id: ID<BrandImage>
    let project: ID<Project>
}
