// A PJRT plugin without a device, for tests: it takes any program, writes it down, and answers with made-up numbers of
// the right shapes. A result is the square of the first argument of its type that no earlier result took, or zeros; a
// number above 3 stays as it is. So y = x*x of small numbers comes out right, and parameters stay finite in any run.
//
// Build it against the header that go-xla carries:
//
//   gcc -shared -fPIC -o xla_cuda_plugin.so -I $(go list -m -f '{{.Dir}}' github.com/gomlx/go-xla)/pjrt plugin.c
//
// Variables: FAKE_PJRT_PROGRAMS, a folder for the programs, 1.mlir, 2.mlir, ...; FAKE_PJRT_FAULT, what goes wrong:
//   device   no client can be made       none     the client has no device
//   compile  no program compiles         options  the struct of execution's options is too small
//   wrong    all results are zeros
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pjrt_c_api.h"

enum { most = 8 }; // axes
typedef struct { PJRT_Buffer_Type type; size_t rank; int64_t dims[most]; } Shape;
struct PJRT_Error { char text[256]; };
struct PJRT_Buffer { Shape shape; size_t size; void *data; };
struct PJRT_LoadedExecutable { size_t results; Shape *shapes; };
struct PJRT_Executable { PJRT_LoadedExecutable *of; };

static int programs;

static const char *env(const char *name) { return getenv(name) ? getenv(name) : ""; }
static int fault(const char *name) { return !strcmp(env("FAKE_PJRT_FAULT"), name); }

static PJRT_Error *error(const char *text) {
    PJRT_Error *e = malloc(sizeof *e);
    snprintf(e->text, sizeof e->text, "%s", text);
    return e;
}

// Types as StableHLO writes them.
static const struct { const char *name; PJRT_Buffer_Type type; size_t size; } types[] = {
    {"i1", PJRT_Buffer_Type_PRED, 1},  {"i32", PJRT_Buffer_Type_S32, 4},  {"i64", PJRT_Buffer_Type_S64, 8},
    {"ui8", PJRT_Buffer_Type_U8, 1},   {"ui32", PJRT_Buffer_Type_U32, 4}, {"ui64", PJRT_Buffer_Type_U64, 8},
    {"f32", PJRT_Buffer_Type_F32, 4},  {"f64", PJRT_Buffer_Type_F64, 8},  {"bf16", PJRT_Buffer_Type_BF16, 2},
};

static size_t size_of(PJRT_Buffer_Type type) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].type == type) return types[i].size;
    return 0;
}

static PJRT_Buffer *new_buffer(Shape shape) {
    PJRT_Buffer *b = calloc(1, sizeof *b);
    b->shape = shape;
    b->size = size_of(shape.type);
    for (size_t i = 0; i < shape.rank; i++) b->size *= shape.dims[i];
    b->data = calloc(1, b->size + 1);
    return b;
}

// read_shape reads what stands in tensor<...>.
static int read_shape(const char *s, Shape *shape) {
    shape->rank = 0;
    while (*s >= '0' && *s <= '9' && shape->rank < most) {
        char *end;
        shape->dims[shape->rank++] = strtol(s, &end, 10);
        s = end + 1; // the x
    }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        size_t n = strlen(types[i].name);
        if (!strncmp(s, types[i].name, n) && s[n] == '>') {
            shape->type = types[i].type;
            return 1;
        }
    }
    return 0;
}

// read_results reads the types of main's results.
static PJRT_LoadedExecutable *read_results(const char *text) {
    const char *at = strstr(text, "@main(");
    if (!at || !(at = strstr(at, "->"))) return NULL;
    const char *end = strstr(at, "{\n");
    if (!end) return NULL;
    PJRT_LoadedExecutable *p = calloc(1, sizeof *p);
    p->shapes = calloc(strlen(at) / 8 + 1, sizeof *p->shapes);
    while ((at = strstr(at, "tensor<")) && at < end) {
        at += strlen("tensor<");
        if (!read_shape(at, &p->shapes[p->results++])) return NULL;
    }
    return p;
}

static void error_destroy(PJRT_Error_Destroy_Args *a) { free(a->error); }
static void error_message(PJRT_Error_Message_Args *a) {
    a->message = a->error->text;
    a->message_size = strlen(a->message);
}
static PJRT_Error *error_code(PJRT_Error_GetCode_Args *a) { a->code = PJRT_Error_Code_INVALID_ARGUMENT; return NULL; }
static PJRT_Error *initialize(PJRT_Plugin_Initialize_Args *a) { return NULL; }
static PJRT_Error *attributes(PJRT_Plugin_Attributes_Args *a) { a->num_attributes = 0; return NULL; }
static PJRT_Error *event_destroy(PJRT_Event_Destroy_Args *a) { return NULL; }
static PJRT_Error *event_await(PJRT_Event_Await_Args *a) { return NULL; }

static char client, device, event; // there is one of each, and nothing to know of it
static PJRT_Device *devices[] = {(PJRT_Device *)&device};

static PJRT_Error *client_create(PJRT_Client_Create_Args *a) {
    if (fault("device")) return error("no supported devices found for platform CUDA");
    a->client = (PJRT_Client *)&client;
    return NULL;
}
static PJRT_Error *client_destroy(PJRT_Client_Destroy_Args *a) { return NULL; }
static PJRT_Error *platform(PJRT_Client_PlatformName_Args *a) {
    a->platform_name = "fake";
    a->platform_name_size = 4;
    return NULL;
}
static PJRT_Error *version(PJRT_Client_PlatformVersion_Args *a) {
    a->platform_version = "1";
    a->platform_version_size = 1;
    return NULL;
}
static PJRT_Error *process(PJRT_Client_ProcessIndex_Args *a) { a->process_index = 0; return NULL; }
static PJRT_Error *addressable(PJRT_Client_AddressableDevices_Args *a) {
    a->addressable_devices = devices;
    a->num_addressable_devices = fault("none") ? 0 : 1;
    return NULL;
}
static PJRT_Error *hardware_id(PJRT_Device_LocalHardwareId_Args *a) { a->local_hardware_id = 0; return NULL; }
static PJRT_Error *is_addressable(PJRT_Device_IsAddressable_Args *a) { a->is_addressable = true; return NULL; }
static PJRT_Error *description(PJRT_Device_GetDescription_Args *a) {
    a->device_description = (PJRT_DeviceDescription *)&device;
    return NULL;
}
static PJRT_Error *description_process(PJRT_DeviceDescription_ProcessIndex_Args *a) { a->process_index = 0; return NULL; }
static PJRT_Error *description_text(PJRT_DeviceDescription_DebugString_Args *a) {
    a->debug_string = "fake device 0";
    a->debug_string_size = strlen(a->debug_string);
    return NULL;
}

static PJRT_Error *compile(PJRT_Client_Compile_Args *a) {
    char path[4096];
    if (fault("compile")) return error("this program does not compile");
    char *text = calloc(1, a->program->code_size + 1);
    memcpy(text, a->program->code, a->program->code_size);
    if (*env("FAKE_PJRT_PROGRAMS")) {
        snprintf(path, sizeof path, "%s/%d.mlir", env("FAKE_PJRT_PROGRAMS"), ++programs);
        FILE *f = fopen(path, "w");
        if (!f) return error("the program cannot be written down");
        fputs(text, f);
        fclose(f);
    }
    a->executable = read_results(text);
    free(text);
    return a->executable ? NULL : error("the results of main cannot be read");
}
static PJRT_Error *loaded_destroy(PJRT_LoadedExecutable_Destroy_Args *a) {
    free(a->executable->shapes);
    free(a->executable);
    return NULL;
}
static PJRT_Error *get_executable(PJRT_LoadedExecutable_GetExecutable_Args *a) {
    a->executable = malloc(sizeof *a->executable);
    a->executable->of = a->loaded_executable;
    return NULL;
}
static PJRT_Error *executable_destroy(PJRT_Executable_Destroy_Args *a) { free(a->executable); return NULL; }
static PJRT_Error *name(PJRT_Executable_Name_Args *a) {
    a->executable_name = "fake";
    a->executable_name_size = 4;
    return NULL;
}
static PJRT_Error *num_outputs(PJRT_Executable_NumOutputs_Args *a) {
    a->num_outputs = a->executable->of->results;
    return NULL;
}
static PJRT_Error *memory(PJRT_Executable_GetCompiledMemoryStats_Args *a) { return NULL; }

static PJRT_Error *from_host(PJRT_Client_BufferFromHostBuffer_Args *a) {
    Shape s = {a->type, a->num_dims};
    if (s.rank > most || !size_of(s.type)) return error("this type of buffer is not known");
    memcpy(s.dims, a->dims, s.rank * sizeof *a->dims);
    a->buffer = new_buffer(s);
    memcpy(a->buffer->data, a->data, a->buffer->size);
    a->done_with_host_buffer = (PJRT_Event *)&event;
    return NULL;
}
static PJRT_Error *to_host(PJRT_Buffer_ToHostBuffer_Args *a) {
    if (!a->dst) {
        a->dst_size = a->src->size;
        return NULL;
    }
    if (a->dst_size < a->src->size) return error("the host's buffer is too small");
    memcpy(a->dst, a->src->data, a->src->size);
    a->event = (PJRT_Event *)&event;
    return NULL;
}
static PJRT_Error *buffer_destroy(PJRT_Buffer_Destroy_Args *a) {
    free(a->buffer->data);
    free(a->buffer);
    return NULL;
}
static PJRT_Error *element_type(PJRT_Buffer_ElementType_Args *a) { a->type = a->buffer->shape.type; return NULL; }
static PJRT_Error *dimensions(PJRT_Buffer_Dimensions_Args *a) {
    a->dims = a->buffer->shape.dims;
    a->num_dims = a->buffer->shape.rank;
    return NULL;
}
static PJRT_Error *buffer_device(PJRT_Buffer_Device_Args *a) { a->device = devices[0]; return NULL; }

static PJRT_Error *execute(PJRT_LoadedExecutable_Execute_Args *a) {
    char text[128];
    if (fault("options")) {
        snprintf(text, sizeof text, "Unexpected PJRT_ExecuteOptions size: expected %zu, got %zu. Check installed software "
            "versions.", a->options->struct_size + 40, a->options->struct_size);
        return error(text);
    }
    char *taken = calloc(1, a->num_args + 1);
    for (size_t i = 0; i < a->executable->results; i++) {
        PJRT_Buffer *y = new_buffer(a->executable->shapes[i]);
        for (size_t k = 0; k < a->num_args && !fault("wrong"); k++) {
            PJRT_Buffer *x = a->argument_lists[0][k];
            if (taken[k] || memcmp(&x->shape.type, &y->shape.type, sizeof x->shape.type) || x->shape.rank != y->shape.rank ||
                memcmp(x->shape.dims, y->shape.dims, x->shape.rank * sizeof *x->shape.dims))
                continue;
            taken[k] = 1;
            for (size_t n = 0; n < x->size / sizeof(float) && x->shape.type == PJRT_Buffer_Type_F32; n++) {
                float v = ((float *)x->data)[n];
                ((float *)y->data)[n] = v > 3 ? v : v * v;
            }
            break;
        }
        a->output_lists[0][i] = y;
    }
    free(taken);
    if (a->device_complete_events) a->device_complete_events[0] = (PJRT_Event *)&event;
    return NULL;
}

static PJRT_Api api = {
    .struct_size = PJRT_Api_STRUCT_SIZE,
    .pjrt_api_version = {.struct_size = PJRT_Api_Version_STRUCT_SIZE, .major_version = PJRT_API_MAJOR,
                         .minor_version = PJRT_API_MINOR},
    .PJRT_Error_Destroy = error_destroy, .PJRT_Error_Message = error_message, .PJRT_Error_GetCode = error_code,
    .PJRT_Plugin_Initialize = initialize, .PJRT_Plugin_Attributes = attributes,
    .PJRT_Event_Destroy = event_destroy, .PJRT_Event_Await = event_await,
    .PJRT_Client_Create = client_create, .PJRT_Client_Destroy = client_destroy,
    .PJRT_Client_PlatformName = platform, .PJRT_Client_PlatformVersion = version,
    .PJRT_Client_ProcessIndex = process, .PJRT_Client_AddressableDevices = addressable,
    .PJRT_Client_Compile = compile, .PJRT_Client_BufferFromHostBuffer = from_host,
    .PJRT_Device_LocalHardwareId = hardware_id, .PJRT_Device_IsAddressable = is_addressable,
    .PJRT_Device_GetDescription = description, .PJRT_DeviceDescription_ProcessIndex = description_process,
    .PJRT_DeviceDescription_DebugString = description_text,
    .PJRT_LoadedExecutable_Destroy = loaded_destroy, .PJRT_LoadedExecutable_GetExecutable = get_executable,
    .PJRT_LoadedExecutable_Execute = execute,
    .PJRT_Executable_Destroy = executable_destroy, .PJRT_Executable_Name = name,
    .PJRT_Executable_NumOutputs = num_outputs, .PJRT_Executable_GetCompiledMemoryStats = memory,
    .PJRT_Buffer_Destroy = buffer_destroy, .PJRT_Buffer_ElementType = element_type, .PJRT_Buffer_Dimensions = dimensions,
    .PJRT_Buffer_Device = buffer_device, .PJRT_Buffer_ToHostBuffer = to_host,
};

const PJRT_Api *GetPjrtApi(void) { return &api; }
